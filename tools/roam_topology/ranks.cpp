// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include "support/tree_choice.hpp"

namespace roam_topology {

RanksOnLeaves::RanksOnLeaves(const std::string& text, const roam::MachineTree& tree)
    : on_leaf_(static_cast<std::size_t>(tree.leaves())) {
  std::int32_t rank = 0;
  for (const std::int32_t leaf : roam_tools::read_leaves_of_ranks(text, tree, "--ranks"))
    on_leaf_[static_cast<std::size_t>(leaf)].push_back(rank++);
}

RanksOnLeaves::RanksOnLeaves(const std::vector<std::vector<std::int32_t>>& leaves,
                             const roam::MachineTree& tree)
    : on_leaf_(static_cast<std::size_t>(tree.leaves())) {
  for (std::size_t rank = 0; rank < leaves.size(); ++rank) {
    for (const std::int32_t leaf : leaves[rank]) {
      std::vector<std::int32_t>& on_leaf = on_leaf_[static_cast<std::size_t>(leaf)];
      const auto number = static_cast<std::int32_t>(rank);
      if (on_leaf.empty() || on_leaf.back() != number) on_leaf.push_back(number);
    }
  }
}

std::string RanksOnLeaves::text(std::int32_t leaf) const {
  std::string text;
  if (empty()) return text;
  for (const std::int32_t rank : on_leaf_[static_cast<std::size_t>(leaf)])
    text += (text.empty() ? "r" : " r") + std::to_string(rank);
  return text;
}

std::int32_t RanksOnLeaves::count(std::int32_t leaf) const {
  return empty() ? 0 : static_cast<std::int32_t>(on_leaf_[static_cast<std::size_t>(leaf)].size());
}

}  // namespace roam_topology
