// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/topology/detail/mapping/measures.hpp"
#include "roam/topology/detail/mapping/talk_graph.hpp"

namespace roam::topology {

struct TreematchOptions {
  /// Which groups to take is tried so many times on each level, each time without another one of
  /// the best.
  std::uint32_t tries = 10;
};

/// TreeMatch as published (Jeannot and Mercier 2010): from the leaves up, objects are put together
/// in groups of as many as a node of the tree has children, so that groups say little to each
/// other, and groups become the objects of the next level. Arities are taken apart into primes, as
/// the authors' code does; groups of two are taken from all pairs that talk, larger ones are grown
/// from those. Loads do not count. More objects than leaves: each leaf gets as many, within one. A
/// means of comparison: map_to_tree() is better and faster. Throws Error unless every level of the
/// tree has one arity and all leaves may be used.
[[nodiscard]] Mapping treematch(const TalkGraph& graph, const MachineTree& tree,
                                const TreematchOptions& options = {});

struct ConstrainedTreematchOptions {
  /// How many greedy random partitions each cut is chosen from; the authors' is 1000.
  std::uint32_t tries = 1000;
  std::uint64_t seed = 1;
};

/// TreeMatchConst (Jeannot et al. 2013, algorithm 1): from the root down, each node's objects are
/// cut into parts of exactly the sizes that its children's usable leaves make, by the best of some
/// greedy random partitions; fewer objects than leaves are padded with silent ones. Loads do not
/// count. A means of comparison. Throws Error if there are more objects than usable leaves.
[[nodiscard]] Mapping treematch_constrained(const TalkGraph& graph, const MachineTree& tree,
                                            const ConstrainedTreematchOptions& options = {});

}  // namespace roam::topology
