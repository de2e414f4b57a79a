// SPDX-License-Identifier: Apache-2.0
#include "tree.hpp"

#include <algorithm>
#include <cmath>

namespace uts {

namespace {

// Limit of the number of children in the published trees, except for a binomial root.
constexpr std::uint32_t most_children = 100;

/// The random number of a node: 0 to 2^31 - 1, from the last bytes of its state.
std::uint32_t drawn_by(const Digest& state) {
  std::uint32_t number = 0;
  for (std::size_t i = state.size() - sizeof number; i < state.size(); ++i)
    number = number << 8U | state[i];
  return number & 0x7fffffffU;
}

double unit(std::uint32_t drawn) { return static_cast<double>(drawn) / 2147483648.0; }

void add_children(const Tree& tree, const Node& node, std::vector<Node>& nodes) {
  const Digest state = tree.state_of(node);
  const std::uint32_t children = tree.children_of(state, node.depth);
  for (std::uint32_t i = 0; i < children; ++i) nodes.push_back({state, i, node.depth + 1});
}

}  // namespace

Digest Tree::state_of(const Node& node) const {
  return node.depth == 0 ? sha1_of(node.number) : sha1_of(node.parent, node.number);
}

std::uint32_t Tree::children_of(const Digest& state, std::int32_t depth) const {
  if (kind == Kind::binomial) {
    if (depth == 0) return static_cast<std::uint32_t>(branching);
    const bool has_some = unit(drawn_by(state)) < probability;
    return has_some ? static_cast<std::uint32_t>(children) : 0;
  }
  if (depth >= most_depth) return 0;
  // The number of failures before the first success, where successes have this probability.
  const double success = 1 / (1 + branching);
  const double failures = std::floor(std::log(1 - unit(drawn_by(state))) / std::log(1 - success));
  return std::min(static_cast<std::uint32_t>(failures), most_children);
}

std::uint64_t expand(const Tree& tree, std::vector<Node>& nodes, std::uint64_t first,
                     std::uint64_t most) {
  std::uint64_t count = 0;
  for (; count < most && first + count < nodes.size(); ++count)
    add_children(tree, Node(nodes[first + count]), nodes);
  return count;
}

std::uint64_t count_nodes(const Tree& tree) {
  std::uint64_t count = 0;
  for (std::vector<Node> stack{tree.root()}; !stack.empty(); ++count) {
    const Node node = stack.back();
    stack.pop_back();
    add_children(tree, node, stack);
  }
  return count;
}

const std::vector<NamedTree>& named_trees() {
  using Kind = Tree::Kind;
  static const std::vector<NamedTree> trees{
      {"T1", {.kind = Kind::geometric, .seed = 19, .branching = 4, .most_depth = 10}, 4'130'071},
      {"T1L", {.kind = Kind::geometric, .seed = 29, .branching = 4, .most_depth = 13}, 102'181'082},
      {"T3",
       {.kind = Kind::binomial,
        .seed = 42,
        .branching = 2000,
        .probability = 0.124875,
        .children = 8},
       4'112'897}};
  return trees;
}

}  // namespace uts
