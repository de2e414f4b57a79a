// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"
#include "roam/topology/detail/mapping/measures.hpp"

namespace roam::topology {

/// How much time may be spent on a mapping.
enum class MappingEffort : std::uint8_t { fast, normal, thorough };

struct MapOptions {
  /// A leaf gets at most (1 + imbalance) times its share of the load. If objects are too few or too
  /// large for that, it gets at most what the best balance of indivisible objects is known to need.
  double imbalance = 0.03;
  MappingEffort effort = MappingEffort::normal;
  std::uint64_t seed = 1;
  /// How much each leaf of the tree can compute; empty: all the same. Barred leaves get nothing.
  std::vector<double> capacities = {};
  /// The leaf of the tree on which each object is now, or -1; empty: objects are on no leaf. Among
  /// mappings of equal cost, which exist if parts of the tree look alike, the one that moves the
  /// fewest objects is taken.
  std::vector<std::int32_t> home = {};
};

/// Maps objects to the usable leaves of a tree so that the sum of amount x distance is small and no
/// leaf exceeds its limit: multilevel with clusters that fit a leaf, recursive multisection, and
/// refinement by the true objective on all levels. If loads are so hard to pack that no mapping
/// within the limits is found, one beyond them is returned (see leaf_imbalance()). The same
/// arguments give the same result. Pure; one thread. Throws Error if `capacities` do not fit the
/// tree, or `home` the graph.
[[nodiscard]] Mapping map_to_tree(const CommunicationGraph& graph, const MachineTree& tree,
                                  const MapOptions& options = {});

}  // namespace roam::topology
