// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sha1.hpp"

namespace uts {

/// A node: its state and how deep it lies determine all that is below it.
struct Node {
  Digest state{};
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

  [[nodiscard]] Node root() const;
  [[nodiscard]] std::uint32_t children_of(const Node& node) const;
};

/// Takes nodes from the end of `stack`, `most` of them at most, and puts their children there.
/// Returns how many nodes it took: fewer only where the stack is empty then.
std::uint64_t expand(const Tree& tree, std::vector<Node>& stack, std::uint64_t most);

/// A tree that has a name, and how many nodes it is known to have.
struct NamedTree {
  const char* name;
  Tree tree;
  std::uint64_t nodes;
};
[[nodiscard]] const std::vector<NamedTree>& named_trees();

}  // namespace uts
