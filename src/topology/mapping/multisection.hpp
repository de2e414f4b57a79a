// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leaf_index.hpp"
#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam::topology {

/// Gives each object a leaf by cutting the graph along the tree, from the root down; the groups of
/// one level are divided by repeated halving (Pellegrini 1994; SharedMap 2025). `limits` are the
/// loads that each leaf may get; what they allow beyond the load is spread evenly over the cuts
/// still to be made.
[[nodiscard]] std::vector<std::uint32_t> multisection(const CommunicationGraph& graph,
                                                      const LeafIndex& index,
                                                      std::span<const double> limits, int runs,
                                                      core::Random& random);

/// Does the same, except that the groups of the outermost level are grown one after the other
/// (grow_groups): good if these contain few objects and fit together like bricks.
[[nodiscard]] std::vector<std::uint32_t> grow_along_front(const CommunicationGraph& graph,
                                                          const LeafIndex& index,
                                                          std::span<const double> limits, int runs,
                                                          core::Random& random);

}  // namespace roam::topology
