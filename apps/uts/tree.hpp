// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sha1.hpp"

namespace uts {

/// A node as its parent leaves it: the parent's state and which of its children this is make its
/// own state, by a hash, when it is expanded. So a node costs what it costs where it is expanded,
/// and leaves do not cost less than others.
struct Node {
  Digest parent{};           ///< of the root: nothing
  std::uint32_t number = 0;  ///< of the child; of the root: the tree's seed
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
  /// The state of one of its nodes: with its depth, it determines all that is below.
  [[nodiscard]] Digest state_of(const Node& node) const;
  [[nodiscard]] std::uint32_t children_of(const Digest& state, std::int32_t depth) const;
};

/// Puts the children of `most` nodes, from the one at `first` on, at the end of `nodes`. Returns of
/// how many: fewer only where none is left.
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
