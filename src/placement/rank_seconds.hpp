// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// The work of each rank with this placement, background included, in seconds of a worker of
/// speed 1.
[[nodiscard]] std::vector<double> rank_work(const LoadGraph& graph, const Machine& machine,
                                            const Placement& placement);

/// The time that each rank takes for its work, in seconds.
[[nodiscard]] std::vector<double> rank_seconds(const LoadGraph& graph, const Machine& machine,
                                               const Placement& placement);

}  // namespace roam::placement
