// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sha1.hpp"

namespace uts {

/// A node as its parent makes it: when it is expanded, its own state is computed as a hash of the
/// parent's state and its number among the children. So all the cost of a node arises where it is
/// expanded, and leaves cost as much as other nodes.
struct Node {
  Digest parent{};           ///< zero for the root
  std::uint32_t number = 0;  ///< number among the children; for the root, the tree's seed
  std::int32_t depth = 0;
};

/// The trees of the Unbalanced Tree Search benchmark (Olivier et al., "UTS: An Unbalanced Tree
/// Search Benchmark", LCPC 2006): how many children a node has is drawn from its state.
struct Tree {
  enum class Kind : std::uint8_t {
    geometric,  ///< a geometric distribution of mean `branching` above `most_depth`, none below it
    binomial    ///< the root has `branching` children, others `children` with probability
                ///< `probability`, else none
  };
  Kind kind = Kind::geometric;
  std::uint32_t seed = 0;  ///< of the root
  double branching = 4;
  std::int32_t most_depth = 0;
  double probability = 0;
  std::int32_t children = 0;

  [[nodiscard]] Node root() const { return {{}, seed, 0}; }
  /// The state of a node, which together with its depth determines the subtree.
  [[nodiscard]] Digest state_of(const Node& node) const;
  [[nodiscard]] std::uint32_t children_of(const Digest& state, std::int32_t depth) const;
};

/// Appends the children of up to `most` nodes, from `first` on, to `nodes`. Returns how many nodes
/// were expanded: fewer only if none is left.
std::uint64_t expand(const Tree& tree, std::vector<Node>& nodes, std::uint64_t first,
                     std::uint64_t most);

/// Counts the nodes of the whole tree, depth first.
[[nodiscard]] std::uint64_t count_nodes(const Tree& tree);

/// A tree that has a name, and how many nodes it is known to have.
struct NamedTree {
  const char* name;
  Tree tree;
  std::uint64_t nodes;
};
[[nodiscard]] const std::vector<NamedTree>& named_trees();

}  // namespace uts
