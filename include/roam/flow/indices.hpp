// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "roam/mobile/placement.hpp"

namespace roam::flow {

/// @cond
/// Which indices within an extent a sparse collection has: those of a list, or those that a
/// function of the program accepts. Immutable.
class IndexSet {
 public:
  using Predicate = bool (*)(const mobile::Coordinates& at, const mobile::Coordinates& extent);
  explicit IndexSet(Predicate predicate) : predicate_(predicate) {}
  /// Throws Error if one is outside of the extent.
  IndexSet(const mobile::CollectionShape& shape, const std::vector<mobile::Coordinates>& listed);

  /// Whether it has the index with this number.
  [[nodiscard]] bool contains(const mobile::CollectionShape& shape, std::uint64_t linear) const;
  [[nodiscard]] bool is_listed() const { return predicate_ == nullptr; }
  /// The numbers of all, in order, if it is_listed().
  [[nodiscard]] const std::vector<std::uint64_t>& listed() const { return listed_; }
  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  Predicate predicate_ = nullptr;
  std::vector<std::uint64_t> listed_;
};
/// @endcond

/// The indices of a collection of a flow program: all within an extent, or some of them. Copies
/// share a list.
template <int D>
class Indices {
 public:
  /// All indices within the extent.
  Indices(const Index<D>& extent) : extent_(extent) {}  // NOLINT: implicit, as Index<D> is enough
  /// Those of a list, in any order: `flow::Indices<2>::listed({64, 64}, {{3, 4}, {3, 5}})`. All
  /// ranks give the same list, of which each keeps a copy. Throws Error if one is outside of the
  /// extent.
  [[nodiscard]] static Indices listed(const Index<D>& extent, const std::vector<Index<D>>& those) {
    Indices some(extent);
    mobile::CollectionShape shape;
    shape.extent = mobile::coordinates_of(extent, 1);
    shape.dimensions = D;
    std::vector<mobile::Coordinates> all;
    all.reserve(those.size());
    for (const Index<D>& one : those) all.push_back(mobile::coordinates_of(one));
    some.set_ = std::make_shared<IndexSet>(shape, all);
    return some;
  }
  /// Those that a function of the program accepts: `bool f(Index<D> index, Index<D> extent)`, which
  /// must give the same for the same arguments wherever and whenever it is called:
  /// `flow::Indices<2>::where<&is_inside>({64, 64})`. Each rank asks it for the indices that the
  /// placement puts there, once for a collection, and for their neighbours.
  template <auto F>
  [[nodiscard]] static Indices where(const Index<D>& extent) {
    Indices some(extent);
    some.set_ = std::make_shared<IndexSet>(
        +[](const mobile::Coordinates& at, const mobile::Coordinates& within) -> bool {
          return F(mobile::index_of<D>(at), mobile::index_of<D>(within));
        });
    return some;
  }

  /// The number of indices along each dimension, including those that are left out.
  [[nodiscard]] const Index<D>& extent() const { return extent_; }
  /// @cond
  Indices(const Index<D>& extent, std::shared_ptr<const IndexSet> set)
      : extent_(extent), set_(std::move(set)) {}
  /// nullptr: all.
  [[nodiscard]] const std::shared_ptr<const IndexSet>& set() const { return set_; }
  /// @endcond

 private:
  Index<D> extent_;
  std::shared_ptr<const IndexSet> set_;
};

}  // namespace roam::flow
