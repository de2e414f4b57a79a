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

/// What the batches of a rank know, and what they have counted: one on each rank.
struct Search {
  Tree tree;
  std::uint64_t nodes_per_call = 1;
  std::uint64_t keep = 0;
  double node_seconds = 0;  ///< of virtual time
  std::atomic<std::uint64_t> nodes{0};
  std::atomic<std::uint64_t> calls{0};
};

/// Some nodes whose subtrees are to be counted. It has one call at a time, in which it expands
/// some of them, those next to the root first. What is left goes to new batches, as many as give
/// each of them no more than one call's nodes, two at least; or, where batches keep some, it goes
/// on with those and gives away the others. So what hangs on one node is soon many objects,
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
  /// Those that are yet to be expanded.
  [[nodiscard]] std::size_t left() const { return nodes_.size() - expanded_; }
  void hand_over(const Search& search);
  void give_away(std::size_t most, bool keeps);

  std::vector<Node> nodes_;
  std::uint64_t expanded_ = 0;  // the first of them
};

}  // namespace uts
