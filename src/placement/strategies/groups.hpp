// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "common.hpp"
#include "refine.hpp"

namespace roam::placement {

/// A machine that consists of some consecutive ranks of another one.
[[nodiscard]] Machine part_of(const Machine& machine, std::int32_t first_rank,
                              std::int32_t end_rank);

/// A machine whose ranks are groups of `group_ranks` consecutive ranks; the last may be smaller.
/// Each group counts as one worker with the group's whole capacity.
[[nodiscard]] Machine grouped(const Machine& machine, std::int32_t group_ranks);

/// Gives the objects from number `known` on, which are on no rank yet, to the rank that has least
/// to do, one after the other.
void give_newcomers_a_rank(LoadGraph& graph, const Machine& machine, std::size_t known);

using PlaceInGroup = std::function<Placement(const LoadGraph& graph, const Machine& machine)>;

/// Balances in two steps: first whole groups exchange as little work as brings them within
/// `between` of each other; then `inside` places the objects of each group on its ranks. Objects
/// new to a group start on those of its ranks that have least to do.
[[nodiscard]] Placement place_in_groups(const LoadGraph& graph, const Machine& machine,
                                        std::int32_t group_ranks, const RefineSettings& between,
                                        const PlaceInGroup& inside);

}  // namespace roam::placement
