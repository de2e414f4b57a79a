// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "leaf_index.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam::topology {

/// A lower bound for the largest load of a leaf, if indivisible loads are placed on `leaves` equal
/// leaves: for each j, some leaf gets at least j + 1 of the j x leaves + 1 largest loads.
[[nodiscard]] double least_largest_load(std::span<const double> loads, std::size_t leaves);

/// The limit of the load of each leaf of the index; `capacities` are by leaf of the tree, empty:
/// all the same.
[[nodiscard]] std::vector<double> load_limits(const CommunicationGraph& graph,
                                              const LeafIndex& index, double imbalance,
                                              std::span<const double> capacities);

}  // namespace roam::topology
