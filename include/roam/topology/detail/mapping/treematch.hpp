// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"
#include "roam/topology/detail/mapping/measures.hpp"

namespace roam::topology {

struct TreematchOptions {
  /// The number of attempts to choose groups on each level, each without another one of the best
  /// groups.
  std::uint32_t tries = 10;
};

/// TreeMatch as published (Jeannot and Mercier 2010). From the leaves up, objects are put into
/// groups of as many as a node of the tree has children, so that groups communicate little with
/// each other, and groups become the objects of the next level. Arities are factorised into primes,
/// as in the authors' code; groups of two are chosen from all pairs that communicate, larger ones
/// are grown from pairs. Loads do not count. If there are more objects than leaves, each leaf gets
/// the same number, within one. For comparison only: map_to_tree() is better and faster. Throws
/// Error unless every level of the tree has one arity and all leaves may be used.
[[nodiscard]] Mapping treematch(const CommunicationGraph& graph, const MachineTree& tree,
                                const TreematchOptions& options = {});

struct ConstrainedTreematchOptions {
  /// The number of greedy random partitions from which each cut is chosen; the authors use 1000.
  std::uint32_t tries = 1000;
  std::uint64_t seed = 1;
};

/// TreeMatchConst (Jeannot et al. 2013, algorithm 1). From the root down, each node's objects are
/// cut into parts whose sizes are exactly the numbers of its children's usable leaves, by the best
/// of some greedy random partitions. If there are fewer objects than leaves, objects that do not
/// communicate are added. Loads do not count. For comparison only. Throws Error if there are more
/// objects than usable leaves.
[[nodiscard]] Mapping treematch_constrained(const CommunicationGraph& graph,
                                            const MachineTree& tree,
                                            const ConstrainedTreematchOptions& options = {});

}  // namespace roam::topology
