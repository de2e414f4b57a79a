// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "leaf_index.hpp"
#include "roam/topology/detail/mapping/talk_graph.hpp"

namespace roam::topology {

/// What any placement of indivisible loads on `leaves` equal leaves needs: some leaf gets j + 1 of
/// the j x leaves + 1 largest.
[[nodiscard]] double least_largest_load(std::span<const double> loads, std::size_t leaves);

/// The most load of each leaf of the index; `capacities` by leaf of the tree, empty: alike.
[[nodiscard]] std::vector<double> load_limits(const TalkGraph& graph, const LeafIndex& index,
                                              double imbalance, std::span<const double> capacities);

}  // namespace roam::topology
