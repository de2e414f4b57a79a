// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "common.hpp"

namespace roam::placement {

/// AssignChareOnCore of the balancers on TreeMatch (Jeannot et al. 2013, section V.A): repeatedly,
/// the rank that would be free first gets the largest object left in its part; once its part is
/// used up, it gets the smallest of the part with most work left (the paper says "from an other
/// part"). parts[k] is the part of ranks[k]; `work`: the further work of each rank of the machine,
/// in seconds.
void assign_by_parts(const LoadGraph& graph, const Machine& machine,
                     std::span<const std::int32_t> ranks,
                     std::vector<std::vector<ObjectIndex>> parts, std::span<const double> work,
                     Placement& placement);

/// Cuts `order` into that many consecutive parts, whose sizes differ by one at most.
[[nodiscard]] std::vector<std::vector<ObjectIndex>> equal_parts(std::span<const ObjectIndex> order,
                                                                std::size_t parts);

}  // namespace roam::placement
