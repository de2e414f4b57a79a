// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "roam/mobile/collection_handle.hpp"
#include "roam/mobile/mobile_ptr.hpp"

namespace roam {

/// An array of mobile objects of class T in D dimensions, 1 to 3, spread over the ranks of the job
/// (M11). A value of 56 bytes: copyable, serialisable, valid on every rank until it is destroyed.
/// Made by Runtime::create_collection(). Elements are mobile objects like any other: they are named
/// by mobile_ptr, called, moved and balanced one by one.
///
/// Methods may be used inside handlers and main programs; none blocks. Index arithmetic works
/// anywhere. Operations on all elements: see mobile::CollectionHandle.
template <class T, int D>
class collection  // NOLINT(readability-identifier-naming): of the kind of mobile_ptr
    : public mobile::CollectionHandle<T> {
 public:
  /// How many coordinates an index has.
  static constexpr int dimensions = D;

  collection() = default;
  /// @cond
  explicit collection(const mobile::CollectionShape& shape) : mobile::CollectionHandle<T>(shape) {}
  /// @endcond
  friend bool operator==(const collection& a, const collection& b) { return a.shape_ == b.shape_; }

  /// Elements along each dimension.
  [[nodiscard]] Index<D> extent() const { return mobile::index_of<D>(shape_.extent); }
  /// Elements when it was made.
  [[nodiscard]] std::uint64_t size() const { return shape_.base != 0 ? shape_.count() : 0; }
  /// The element's name, by arithmetic alone. Throws roam::Error if there is no such index. An
  /// element that was erased is gone like any object.
  [[nodiscard]] mobile_ptr<T> operator[](const Index<D>& index) const {
    return mobile_ptr<T>(shape_.element(mobile::coordinates_of(index)));
  }
  /// The rank at which it was made.
  [[nodiscard]] Rank home(const Index<D>& index) const { return (*this)[index].id().home(); }
  /// True for an index inside the extent, whether or not its element has been erased.
  [[nodiscard]] bool contains(const Index<D>& index) const {
    return shape_.contains(mobile::coordinates_of(index));
  }
  /// The indices beside one, by arithmetic alone; see neighbours_of().
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

  /// Elements in a box.
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
  /// Elements in a list; each takes part once. Throws roam::Error if there is no such index.
  [[nodiscard]] Section<T> section(const std::vector<Index<D>>& indices) const {
    mobile::SectionBytes which;
    which.kind = mobile::SectionBytes::Kind::list;
    for (const Index<D>& index : indices)
      which.list.push_back(((*this)[index].id().serial() & ~ObjectId::element_bit) - shape_.base);
    return {shape_.base, std::move(which)};
  }
  /// Elements for which bool Predicate(Index<D>) holds, a function of the index alone.
  template <auto Predicate>
  [[nodiscard]] Section<T> section() const {
    mobile::SectionBytes which;
    which.kind = mobile::SectionBytes::Kind::predicate;
    which.predicate = mobile::detail::index_predicate<Predicate, D>.id();
    return {shape_.base, std::move(which)};
  }

  /// For an element's methods: gives its value to a phase. Each element that has not been erased
  /// contributes once to each phase that somebody reduces, from wherever it is; phases may overlap,
  /// and each has a number of its own. A second contribution fails the phase, or is an error of the
  /// job if the phase has been reduced; elements that do not contribute, or a value of another
  /// type, are in the stuck report.
  /// An element may be erased once a reduction has its contribution; before, the job is told of an
  /// error instead of a result that might lack a value.
  template <class Operator, class V>
  void contribute(const Index<D>& index, std::uint64_t phase, V value) const {
    mobile::require_operator<V, Operator>();
    mobile::contribute<V, Operator>(shape_, mobile::coordinates_of(index), phase, std::move(value));
  }
  template <auto Operator, class V>
  void contribute(const Index<D>& index, std::uint64_t phase, V value) const {
    contribute<am::FunctionOperator<Operator>>(index, phase, std::move(value));
  }
  /// What all elements contribute to a phase, combined as by reduce(): `double r = co_await
  /// grid.reduction<std::plus<>, double>(step);` Asked for once, before or after they contribute; V
  /// and Operator as they have them. Throws roam::RemoteError if an element contributed twice or
  /// the operator threw.
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

  /// Ends one element after this sender's earlier calls to it (M8): the same as
  /// (*this)[index].destroy(). The index is not used again.
  void erase(const Index<D>& index) const { (*this)[index].destroy(); }

 private:
  using mobile::CollectionHandle<T>::shape_;
};

}  // namespace roam
