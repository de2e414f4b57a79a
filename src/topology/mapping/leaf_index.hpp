// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// The usable leaves of a tree, numbered from 0 without gaps, and the levels that separate them:
/// those between root and leaves whose distance differs from that of the level above, and the
/// leaves. The root is not among them. The groups of all levels, called nodes, are numbered
/// consecutively, level by level.
class LeafIndex {
 public:
  explicit LeafIndex(const MachineTree& tree);

  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    [[nodiscard]] std::uint32_t size() const { return last - first; }
  };

  [[nodiscard]] std::uint32_t leaves() const {
    return static_cast<std::uint32_t>(tree_leaf_.size());
  }
  [[nodiscard]] std::size_t levels() const { return drops_.size(); }
  [[nodiscard]] std::size_t nodes() const { return leaves_of_.size(); }
  /// What a unit of communication costs less if both ends are in one group of this level than if
  /// they meet one level further out.
  [[nodiscard]] double drop(std::size_t level) const { return drops_[level]; }
  /// The nodes that hold a leaf, one for each level.
  [[nodiscard]] const std::uint32_t* path(std::uint32_t leaf) const {
    return paths_.data() + leaf * drops_.size();
  }
  [[nodiscard]] Range nodes_of_level(std::size_t level) const {
    return {level_begin_[level], level_begin_[level + 1]};
  }
  [[nodiscard]] Range leaves_of(std::uint32_t node) const { return leaves_of_[node]; }
  /// The nodes of the next level inside this one; none for a leaf.
  [[nodiscard]] Range children(std::uint32_t node) const { return children_[node]; }
  /// The nodes of level 0.
  [[nodiscard]] Range top() const { return nodes_of_level(0); }

  [[nodiscard]] double distance(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return 0;
    double distance = root_distance_;
    const std::uint32_t* of_a = path(a);
    const std::uint32_t* of_b = path(b);
    for (std::size_t level = 0; of_a[level] == of_b[level]; ++level) distance -= drops_[level];
    return distance;
  }

  [[nodiscard]] std::size_t tree_leaves() const { return number_of_.size(); }
  [[nodiscard]] std::int32_t tree_leaf(std::uint32_t leaf) const { return tree_leaf_[leaf]; }
  /// The number in this index of a leaf of the tree; leaves() if the leaf may not be used.
  [[nodiscard]] std::uint32_t number_of(std::int32_t tree_leaf) const {
    return number_of_[static_cast<std::size_t>(tree_leaf)];
  }

 private:
  std::vector<std::int32_t> tree_leaf_;
  std::vector<std::uint32_t> number_of_;
  std::vector<double> drops_;
  std::vector<std::uint32_t> paths_;
  std::vector<std::uint32_t> level_begin_;
  std::vector<Range> leaves_of_;
  std::vector<Range> children_;
  double root_distance_;
};

}  // namespace roam::topology
