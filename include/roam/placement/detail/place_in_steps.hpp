// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "roam/placement/distributed.hpp"
#include "roam/placement/load_graph.hpp"

namespace roam::placement {

using MakeDistributed = std::function<std::unique_ptr<DistributedStrategy>(RankShare share)>;

/// Runs the steps of all ranks, given by rank, in one thread. Random numbers are seeded by `seed`
/// and the rank.
void run_steps(std::span<const std::unique_ptr<DistributedStrategy>> ranks, std::uint64_t seed);

/// Runs a distributed strategy for all ranks of a machine in one thread, step by step, and returns
/// the placement that the ranks would agree on. Pure: random numbers are seeded by `seed` and the
/// rank.
[[nodiscard]] Placement place_in_steps(const LoadGraph& graph, const Machine& machine,
                                       std::uint64_t seed, const MakeDistributed& make);

/// The share of each rank of a machine, without totals. Links count as calls of one of their
/// objects, whole bytes and messages of them. Pinned objects count as fixed work; the id of an
/// object is its number in the graph.
[[nodiscard]] std::vector<RankShare> shares_of(const LoadGraph& graph, const Machine& machine);

/// The totals of all shares.
[[nodiscard]] LoadTotals totals_of(std::span<const RankShare> shares);

}  // namespace roam::placement
