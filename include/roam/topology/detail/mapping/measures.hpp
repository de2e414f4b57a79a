// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam::topology {

/// The leaf of the tree for each object.
using Mapping = std::vector<std::int32_t>;

/// What a mapping costs. Lists have an entry for each level of the tree, for the communication
/// between leaves that meet on that level and on none further in. The last entry is the
/// communication inside a leaf.
struct CommunicationMeasures {
  double cost = 0;       ///< sum over pairs of amount x distance of the level where they meet
  double hop_bytes = 0;  ///< sum over pairs of amount x links between the leaves (up and down)
  std::vector<double> amount_by_level;
  std::vector<double> messages_by_level;
};

/// Measures a mapping. `communications` as in CommunicationGraph; messages count if they are given.
/// Throws Error if an object or its leaf does not exist.
[[nodiscard]] CommunicationMeasures measure(std::span<const Communication> communications,
                                            const MachineTree& tree,
                                            std::span<const std::int32_t> mapping);

/// Only CommunicationMeasures::cost, for a graph; every object's leaf must exist.
[[nodiscard]] double communication_cost(const CommunicationGraph& graph, const MachineTree& tree,
                                        std::span<const std::int32_t> mapping);

/// The load of each leaf of the tree; every object's leaf must exist.
[[nodiscard]] std::vector<double> leaf_loads(const CommunicationGraph& graph,
                                             const MachineTree& tree,
                                             std::span<const std::int32_t> mapping);

/// The greatest load of a usable leaf divided by their mean, minus 1; 0 if there is no load. Leaves
/// are assumed to be equally fast.
[[nodiscard]] double leaf_imbalance(const CommunicationGraph& graph, const MachineTree& tree,
                                    std::span<const std::int32_t> mapping);

}  // namespace roam::topology
