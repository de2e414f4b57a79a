// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "roam/placement/distributed.hpp"
#include "roam/placement/load_graph.hpp"

namespace roam::placement {

using MakeDistributed = std::function<std::unique_ptr<DistributedStrategy>(RankShare share)>;

/// Runs a distributed strategy for all ranks of a machine in one thread, step by step: the
/// placement that the ranks would come to. Pure: chance is seeded by `seed` and the rank.
[[nodiscard]] Placement place_in_steps(const LoadGraph& graph, const Machine& machine,
                                       std::uint64_t seed, const MakeDistributed& make);

/// The share of each rank of a machine, without totals. Pinned objects count as fixed work; the
/// others are known by their numbers.
[[nodiscard]] std::vector<RankShare> shares_of(const LoadGraph& graph, const Machine& machine);

/// Of all shares together.
[[nodiscard]] LoadTotals totals_of(std::span<const RankShare> shares);

}  // namespace roam::placement
