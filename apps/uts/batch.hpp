// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <roam/roam.hpp>
#include <utility>
#include <vector>

#include "tree.hpp"

namespace uts {

/// What the batches of a rank share, and their counters: one on each rank.
struct Search {
  Tree tree;
  std::uint64_t nodes_per_call = 1;
  std::uint64_t keep = 0;
  double node_seconds = 0;  ///< of virtual time
  std::atomic<std::uint64_t> nodes{0};
  std::atomic<std::uint64_t> calls{0};
};

/// Some nodes whose subtrees are to be counted. In each call it expands some of them, those next to
/// the root first. The remaining nodes go to new batches, as many as needed to give each no more
/// than one call's nodes, but at least two; if batches may keep nodes, it continues with some and
/// gives the others away. Thus the subtree of a single node is soon spread over many objects,
/// wherever the tree is large.
class Batch {
 public:
  Batch() = default;
  explicit Batch(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}
  void expand();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(nodes_, expanded_);
  }

 private:
  /// Number of nodes that are not expanded yet.
  [[nodiscard]] std::size_t left() const { return nodes_.size() - expanded_; }
  void hand_over(const Search& search);
  void give_away(std::size_t most, bool keeps);

  std::vector<Node> nodes_;
  std::uint64_t expanded_ = 0;  // number of nodes at the front that are expanded
};

}  // namespace uts
