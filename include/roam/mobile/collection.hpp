// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/mobile/collection_creation.hpp"
#include "roam/mobile/contributions.hpp"
#include "roam/mobile/element_operations.hpp"
#include "roam/mobile/mobile_ptr.hpp"

namespace roam {

/// Some elements of a collection, for operations on them alone. What the section means is looked at
/// where and when the operation reaches each home rank. A short-lived value.
template <class T>
class Section {
 public:
  Section(std::uint64_t base, mobile::SectionBytes which) : base_(base), which_(std::move(which)) {}

  /// Runs Method(arguments...) on every element, exactly once on each that exists then, and returns
  /// at once. Elements that are being erased may or may not take part.
  ///
  /// Order: operations on one collection - broadcasts, phases, reductions, of whatever sections -
  /// start on each element in one and the same order, that in which they reached rank 0; those of
  /// one rank in the order in which they were issued. Nothing is promised about calls made through
  /// a mobile_ptr in between: await the phase, or the calls, where that matters.
  ///
  /// Exceptions of the method are reported as those of mobile_ptr::send are.
  template <auto Method, class... A>
  void broadcast(A&&... arguments) const {
    check_method<Method, A...>();
    mobile::Collections& collections = mobile::current_collections();
    collections.start(begin<mobile::ForAll<Method>, Method>(0, arguments...));
  }
  /// The same, awaitable until all have run it: a phase. `co_await grid.for_all<&Block::step>();`
  /// Throws roam::RemoteError, with the words of the first element (by home rank, then index) whose
  /// method threw; the others have run all the same. roam::ObjectGone if the collection is gone.
  template <auto Method, class... A>
  [[nodiscard]] am::Reply<void> for_all(A&&... arguments) const {
    check_method<Method, A...>();
    return ask<void, mobile::ForAll<Method>, Method>(arguments...);
  }
  /// Runs Method(arguments...) on every element and combines what it gives: `double sum = co_await
  /// grid.reduce<&Block::mass, std::plus<>>();` - also roam::Min, roam::Max, std::logical_and<>, a
  /// lambda's type or &function; of vectors, element by element.
  ///
  /// Values are combined over a tree of fixed shape, at each home rank in the order of indices (of
  /// keys: of their packed bytes), then in the order of ranks. The result therefore depends neither
  /// on where elements are nor on whether and when they move, to the last bit; with block placement
  /// it is in the order of all indices, so that an operator need be associative only.
  /// Throws as for_all() does, and if there is no element.
  template <auto Method, class Operator, class... A>
  [[nodiscard]] auto reduce(A&&... arguments) const {
    using Value = typename mobile::detail::Visit<Method, Operator>::Value;
    check_method<Method, A...>();
    mobile::require_operator<Value, Operator>();
    return ask<Value, mobile::ReduceElements<Method, Operator>, Method>(arguments...);
  }
  template <auto Method, auto Operator, class... A>
  [[nodiscard]] auto reduce(A&&... arguments) const {
    return reduce<Method, am::FunctionOperator<Operator>>(std::forward<A>(arguments)...);
  }

 private:
  template <auto Method, class... A>
  static constexpr void check_method() {
    using Arguments = typename mobile::detail::TraitsOf<Method>::Arguments;
    if constexpr (!mobile::detail::is_method_of<Method, T>) {
      (void)sizeof(this_method_does_not_belong_to_the_class_of_the_object<decltype(Method), T>);
    } else if constexpr (!core::are_arguments_for<Arguments, std::decay_t<A>...>) {
      (void)sizeof(these_arguments_do_not_match_the_parameters_of_the_handler<decltype(Method),
                                                                              std::decay_t<A>...>);
    }
  }
  template <class O, auto Method, class... A>
  [[nodiscard]] core::Packer begin(std::uint64_t token, const A&... arguments) const {
    using Arguments = typename mobile::detail::TraitsOf<Method>::Arguments;
    core::Packer packer =
        mobile::current_collections().begin(mobile::detail::operation_type<O>, base_, token);
    which_.pack(packer);
    core::pack_parameters(std::type_identity<Arguments>{}, packer, nullptr, arguments...);
    return packer;
  }
  template <class R, class O, auto Method, class... A>
  [[nodiscard]] am::Reply<R> ask(const A&... arguments) const {
    mobile::Collections& collections = mobile::current_collections();
    auto [pending, to] =
        collections.messenger().expect_reply(core::value_name<Method>().data(), ObjectId());
    am::Reply<R> reply(pending);
    collections.start(begin<O, Method>(to.token, arguments...));
    return reply;
  }

  std::uint64_t base_;
  mobile::SectionBytes which_;
};

/// An array of mobile objects of class T in D dimensions, 1 to 3, spread over the ranks of the job
/// (M11). A value of 56 bytes: copyable, serialisable, valid on every rank until it is destroyed.
/// Made by Runtime::create_collection(). Elements are mobile objects like any other: they are named
/// by mobile_ptr, called, moved and balanced one by one.
///
/// Methods may be used inside handlers and main programs; none blocks. Index arithmetic works
/// anywhere.
template <class T, int D>
class collection {  // NOLINT(readability-identifier-naming): of the kind of mobile_ptr
 public:
  using element_type = T;
  static constexpr int dimensions = D;

  collection() = default;
  explicit collection(const mobile::CollectionShape& shape) : shape_(shape) {}
  [[nodiscard]] explicit operator bool() const { return shape_.base != 0; }
  friend bool operator==(const collection&, const collection&) = default;

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
  [[nodiscard]] bool contains(const Index<D>& index) const {
    return shape_.contains(mobile::coordinates_of(index));
  }
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
  /// All elements; the following are short for operations on it. See Section.
  [[nodiscard]] Section<T> all() const { return {shape_.base, {}}; }
  template <auto Method, class... A>
  void broadcast(A&&... arguments) const {
    all().template broadcast<Method>(std::forward<A>(arguments)...);
  }
  template <auto Method, class... A>
  [[nodiscard]] am::Reply<void> for_all(A&&... arguments) const {
    return all().template for_all<Method>(std::forward<A>(arguments)...);
  }
  template <auto Method, class Operator, class... A>
  [[nodiscard]] auto reduce(A&&... arguments) const {
    return all().template reduce<Method, Operator>(std::forward<A>(arguments)...);
  }
  template <auto Method, auto Operator, class... A>
  [[nodiscard]] auto reduce(A&&... arguments) const {
    return all().template reduce<Method, Operator>(std::forward<A>(arguments)...);
  }

  /// For an element's methods: gives its value to a phase. Each element that has not been erased
  /// contributes once to each phase that somebody reduces, from wherever it is; phases may overlap.
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
  /// Ends all elements after the operations that were issued before, and forgets the collection on
  /// every rank; operations on it later fail with ObjectGone (M8). To be awaited.
  [[nodiscard]] am::Reply<void> destroy() const {
    return mobile::ask_collection<void, mobile::CollectionEnd>(
        mobile::current_collections(), shape_.base, "the end of a collection",
        [](core::Packer& /*packer*/) {});
  }

  [[nodiscard]] const mobile::CollectionShape& shape() const { return shape_; }

 private:
  mobile::CollectionShape shape_;
};

}  // namespace roam
