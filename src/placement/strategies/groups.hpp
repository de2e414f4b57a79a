// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "common.hpp"
#include "refine.hpp"

namespace roam::placement {

/// Consecutive ranks of a machine as a machine of their own.
[[nodiscard]] Machine part_of(const Machine& machine, std::int32_t first_rank,
                              std::int32_t end_rank);

/// Groups of `group_ranks` consecutive ranks as the ranks of a smaller machine; the last may be
/// smaller. Each has one worker of the group's whole capacity.
[[nodiscard]] Machine grouped(const Machine& machine, std::int32_t group_ranks);

/// Gives the objects from number `known` on, which are on no rank yet, to the ranks that have least
/// to do, one after the other.
void give_newcomers_a_rank(LoadGraph& graph, const Machine& machine, std::size_t known);

using PlaceInGroup = std::function<Placement(const LoadGraph& graph, const Machine& machine)>;

/// Balances in two steps: first whole groups exchange as little work as brings them within
/// `between` of each other; then `inside` places the objects of each group on its ranks. Objects
/// new to a group start on the ranks of it that have least.
[[nodiscard]] Placement place_in_groups(const LoadGraph& graph, const Machine& machine,
                                        std::int32_t group_ranks, const RefineSettings& between,
                                        const PlaceInGroup& inside);

}  // namespace roam::placement
