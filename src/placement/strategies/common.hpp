// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

using ObjectIndex = std::uint32_t;

/// The objects that may move, those with most work first; equal ones by number.
[[nodiscard]] std::vector<ObjectIndex> movable_by_size(const LoadGraph& graph);

/// The work that stays where it is: background and pinned objects, seconds per rank.
[[nodiscard]] std::vector<double> fixed_seconds(const LoadGraph& graph, const Machine& machine);

/// Work per rank where the objects are now, background included.
[[nodiscard]] std::vector<double> current_seconds(const LoadGraph& graph, const Machine& machine);

/// Lists of objects, one per rank (or other owner), in one array.
class ObjectLists {
 public:
  /// The objects of `order` by their owner, each list in that order.
  ObjectLists(std::size_t owners, std::span<const ObjectIndex> order,
              std::span<const std::int32_t> owner_of);
  [[nodiscard]] std::span<const ObjectIndex> operator[](std::size_t owner) const {
    return std::span(objects_).subspan(begin_[owner], begin_[owner + 1] - begin_[owner]);
  }
  [[nodiscard]] std::size_t begin(std::size_t owner) const { return begin_[owner]; }
  [[nodiscard]] std::size_t end(std::size_t owner) const { return begin_[owner + 1]; }
  [[nodiscard]] ObjectIndex at(std::size_t position) const { return objects_[position]; }
  [[nodiscard]] std::size_t total() const { return objects_.size(); }

 private:
  std::vector<std::size_t> begin_;
  std::vector<ObjectIndex> objects_;
};

/// Ranks by a key, the smallest on top; equal ones by number.
class RankHeap {
 public:
  struct Item {
    double key;
    std::int32_t rank;
    [[nodiscard]] bool before(const Item& other) const {
      return key < other.key || (key == other.key && rank < other.rank);
    }
  };
  explicit RankHeap(std::vector<Item> items);
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] const Item& top() const { return items_.front(); }
  /// Gives the top another key. O(log ranks).
  void change_top(double key);

 private:
  void sift_down(std::size_t at);
  std::vector<Item> items_;
};

/// Renames ranks, which is possible if they are alike: each group of objects that a strategy has
/// made for one rank is given to a rank so that as many bytes as possible (objects, where bytes are
/// not known) are there already. The assignment is exact up to topology::most_exact_rows ranks.
/// Does nothing unless all ranks are alike and no work is fixed.
void keep_at_home(const LoadGraph& graph, const Machine& machine, Placement& placement);

}  // namespace roam::placement
