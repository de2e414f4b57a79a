// SPDX-License-Identifier: Apache-2.0
#include "leaf_index.hpp"

namespace roam::topology {

LeafIndex::LeafIndex(const MachineTree& tree)
    : tree_leaf_(tree.usable_leaves().begin(), tree.usable_leaves().end()),
      number_of_(static_cast<std::size_t>(tree.leaves()), leaves()),
      root_distance_(tree.distance_at(0)) {
  std::vector<std::size_t> kept;
  double above = root_distance_;
  for (std::size_t level = 1; level <= tree.depth(); ++level) {
    const double here = tree.distance_at(level);
    if (here == above && level < tree.depth()) continue;
    kept.push_back(level);
    drops_.push_back(above - here);
    above = here;
  }
  paths_.resize(leaves() * kept.size());
  level_begin_.push_back(0);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::int32_t group = -1;
    for (std::uint32_t leaf = 0; leaf < leaves(); ++leaf) {
      const std::int32_t its = tree.ancestor(tree_leaf_[leaf], kept[i]);
      if (its != group) {
        leaves_of_.push_back({leaf, leaf});
        group = its;
      }
      ++leaves_of_.back().last;
      paths_[leaf * kept.size() + i] = static_cast<std::uint32_t>(leaves_of_.size() - 1);
    }
    level_begin_.push_back(static_cast<std::uint32_t>(leaves_of_.size()));
  }
  children_.resize(leaves_of_.size());
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
    for (std::uint32_t node = level_begin_[i]; node < level_begin_[i + 1]; ++node) {
      const Range range = leaves_of_[node];
      children_[node] = {path(range.first)[i + 1], path(range.last - 1)[i + 1] + 1};
    }
  }
  for (std::uint32_t leaf = 0; leaf < leaves(); ++leaf) {
    number_of_[static_cast<std::size_t>(tree_leaf_[leaf])] = leaf;
  }
}

}  // namespace roam::topology
