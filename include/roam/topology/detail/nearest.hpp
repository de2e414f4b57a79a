// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "roam/core/types.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::topology {

/// For each worker of a rank the others, by how near they are: first those with which it shares an
/// L3 cache, then those of its NUMA node, then those of its package, then the rest, each as a list
/// by number; empty lists are left out. Returns nothing if no worker is nearer to some than to
/// others. `places`: of each worker. O(workers^2).
[[nodiscard]] std::vector<std::vector<std::vector<WorkerIndex>>> nearest_first(
    std::span<const Place> places);

}  // namespace roam::topology
