// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/topology/detail/mapping/measures.hpp"
#include "roam/topology/detail/mapping/talk_graph.hpp"

namespace roam::topology {

/// How much time a mapping is worth.
enum class MappingEffort : std::uint8_t { fast, normal, thorough };

struct MapOptions {
  /// A leaf gets at most (1 + imbalance) times its share of the load. Where objects are too few or
  /// too large for that, at most what the best balance of indivisible objects is known to need.
  double imbalance = 0.03;
  MappingEffort effort = MappingEffort::normal;
  std::uint64_t seed = 1;
  /// How much each leaf of the tree can do; empty: all alike. Barred leaves get nothing.
  std::vector<double> capacities = {};
  /// Where each object is now, a leaf of the tree, or -1; empty: nowhere. Of mappings that cost the
  /// same because parts of the tree look alike, that one is taken which moves the fewest objects.
  std::vector<std::int32_t> home = {};
};

/// Maps objects to the usable leaves of a tree so that the sum of amount x distance is small and no
/// leaf has more than its limit: multilevel with clusters that fit a leaf, recursive multisection,
/// refinement by the true objective on all levels. Loads may be so hard to pack that no mapping
/// within the limits is found: then one beyond them is returned (see leaf_imbalance()). The same
/// result for the same arguments. Pure; one thread. Throws Error if `capacities` do not fit the
/// tree, or `home` the graph.
[[nodiscard]] Mapping map_to_tree(const TalkGraph& graph, const MachineTree& tree,
                                  const MapOptions& options = {});

}  // namespace roam::topology
