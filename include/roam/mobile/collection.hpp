// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "roam/mobile/collection_handle.hpp"
#include "roam/mobile/mobile_ptr.hpp"

namespace roam {

/// An array of mobile objects of class T in D dimensions, 1 to 3, spread over the ranks of the job
/// (M11). A value of 56 bytes: copyable, serialisable, valid on every rank until the collection is
/// destroyed. Made by Runtime::create_collection(). Elements are mobile objects like any other:
/// mobile_ptr names them, and they are called, moved and balanced one by one.
///
/// Methods may be used inside handlers and main programs; none blocks. Index arithmetic works
/// anywhere. For operations on all elements see mobile::CollectionHandle.
template <class T, int D>
class collection  // NOLINT(readability-identifier-naming): of the kind of mobile_ptr
    : public mobile::CollectionHandle<T> {
 public:
  /// The number of coordinates of an index.
  static constexpr int dimensions = D;

  collection() = default;
  /// @cond
  explicit collection(const mobile::CollectionShape& shape) : mobile::CollectionHandle<T>(shape) {}
  /// @endcond
  friend bool operator==(const collection& a, const collection& b) { return a.shape_ == b.shape_; }

  /// The number of elements along each dimension.
  [[nodiscard]] Index<D> extent() const { return mobile::index_of<D>(shape_.extent); }
  /// The number of elements when the collection was made.
  [[nodiscard]] std::uint64_t size() const { return shape_.base != 0 ? shape_.count() : 0; }
  /// The name of the element with this index, computed without communication. Throws roam::Error if
  /// there is no such index. An element that was erased is gone like any destroyed object.
  [[nodiscard]] mobile_ptr<T> operator[](const Index<D>& index) const {
    return mobile_ptr<T>(shape_.element(mobile::coordinates_of(index)));
  }
  /// The rank on which the element was made.
  [[nodiscard]] Rank home(const Index<D>& index) const { return (*this)[index].id().home(); }
  /// True for an index inside the extent, whether or not its element has been erased.
  [[nodiscard]] bool contains(const Index<D>& index) const {
    return shape_.contains(mobile::coordinates_of(index));
  }
  /// The neighbours of an index, computed without communication; see neighbours_of().
  [[nodiscard]] Neighbours<D> neighbours(const Index<D>& index,
                                         Neighbourhood kind = Neighbourhood::faces,
                                         Edges edges = Edges::open) const {
    return neighbours_of(index, extent(), kind, edges);
  }
  /// Calls visit(index) for the elements whose home is `rank`, in their order.
  template <class Visit>
  void for_each_home(Rank rank, Visit&& visit) const {
    const mobile::HomeElements home(shape_, rank);
    for (std::uint64_t position = 0; position < home.count(); ++position)
      visit(mobile::index_of<D>(shape_.coordinates(home.linear(position))));
  }

  /// The elements in a box.
  [[nodiscard]] Section<T> section(const Box<D>& box) const {
    mobile::SectionBytes which;
    which.kind = mobile::SectionBytes::Kind::box;
    which.lower = mobile::coordinates_of(box.lower);
    which.upper = mobile::coordinates_of(box.upper, 1);
    which.stride = mobile::coordinates_of(box.stride, 1);
    for (const std::int64_t step : which.stride) {
      if (step < 1) throw Error("a section's stride must be positive");
    }
    return {shape_.base, std::move(which)};
  }
  /// The elements in a list; each takes part once. Throws roam::Error if there is no such index.
  [[nodiscard]] Section<T> section(const std::vector<Index<D>>& indices) const {
    mobile::SectionBytes which;
    which.kind = mobile::SectionBytes::Kind::list;
    for (const Index<D>& index : indices)
      which.list.push_back(((*this)[index].id().serial() & ~ObjectId::element_bit) - shape_.base);
    return {shape_.base, std::move(which)};
  }
  /// The elements for which bool Predicate(Index<D>), a function of the index alone, is true.
  template <auto Predicate>
  [[nodiscard]] Section<T> section() const {
    mobile::SectionBytes which;
    which.kind = mobile::SectionBytes::Kind::predicate;
    which.predicate = mobile::detail::index_predicate<Predicate, D>.id();
    return {shape_.base, std::move(which)};
  }

  /// For methods of elements: contributes the element's value to a phase. Each element that has not
  /// been erased contributes once to each phase that is reduced, from wherever it is. Phases may
  /// overlap; each has a number. A second contribution makes the phase fail, or is an error of the
  /// job if the phase has been reduced. If elements do not contribute, or contribute a value of
  /// another type, the stuck report says so.
  /// An element may be erased once a reduction has its contribution. If it is erased earlier, the
  /// job gets an error instead of a result that might lack a value.
  template <class Operator, class V>
  void contribute(const Index<D>& index, std::uint64_t phase, V value) const {
    mobile::require_operator<V, Operator>();
    mobile::contribute<V, Operator>(shape_, mobile::coordinates_of(index), phase, std::move(value));
  }
  template <auto Operator, class V>
  void contribute(const Index<D>& index, std::uint64_t phase, V value) const {
    contribute<am::FunctionOperator<Operator>>(index, phase, std::move(value));
  }
  /// The contributions of all elements to a phase, combined as by reduce(): `double r = co_await
  /// grid.reduction<std::plus<>, double>(step);`. Call it once for each phase, before or after the
  /// elements contribute, with the same V and Operator as they do. Awaiting it throws
  /// roam::RemoteError if an element contributed twice or the operator threw.
  template <class Operator, class V>
  [[nodiscard]] am::Reply<V> reduction(std::uint64_t phase) const {
    mobile::require_operator<V, Operator>();
    using O = mobile::PhaseReduction<V, Operator>;
    return mobile::ask_collection<V, O>(mobile::current_collections(), shape_.base,
                                        "reduction of contributions",
                                        [&](core::Packer& packer) { core::pack(packer, phase); });
  }
  template <auto Operator, class V>
  [[nodiscard]] am::Reply<V> reduction(std::uint64_t phase) const {
    return reduction<am::FunctionOperator<Operator>, V>(phase);
  }

  /// Ends one element after this sender's earlier calls to it (M8), as (*this)[index].destroy()
  /// does. The index is not used again.
  void erase(const Index<D>& index) const { (*this)[index].destroy(); }

 private:
  using mobile::CollectionHandle<T>::shape_;
};

}  // namespace roam
