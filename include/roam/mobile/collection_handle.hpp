// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "roam/core/detail/named_arguments.hpp"
#include "roam/mobile/detail/collection_creation.hpp"
#include "roam/mobile/detail/contributions.hpp"
#include "roam/mobile/detail/element_operations.hpp"

namespace roam {

/// Some elements of a collection, for operations on them alone. Which elements belong to it is
/// determined when an operation reaches the home ranks of the elements. A short-lived value.
template <class T>
class Section {
 public:
  /// @cond
  Section(std::uint64_t base, mobile::SectionBytes which) : base_(base), which_(std::move(which)) {}
  /// @endcond

  /// Runs Method(arguments...) exactly once on every element that exists when the operation reaches
  /// its home, and returns at once. Elements that are being erased may or may not take part.
  ///
  /// Order: operations on one collection (broadcasts, phases, reductions, of any sections) start on
  /// each element in the same order, that in which they reached rank 0; those of one rank start in
  /// the order in which they were issued. Nothing is promised about calls made through a mobile_ptr
  /// in between: if their order matters, await the phase, or the calls.
  ///
  /// Exceptions of the method are reported as those of mobile_ptr::send are.
  template <auto Method, class... A>
  void broadcast(A&&... arguments) const {
    if constexpr (!is_fine<Method, A...>) {
      explain<Method, A...>();
    } else {
      mobile::Collections& collections = mobile::current_collections();
      collections.start(begin<mobile::ForAll<Method>, Method>(0, arguments...));
    }
  }
  /// Runs Method(arguments...) on every element, and can be awaited until all have run it: a phase.
  /// `co_await grid.for_all<&Block::step>();` Awaiting throws roam::RemoteError if methods threw,
  /// with the text of the first such element (by home rank, then index); the other elements have
  /// run theirs nevertheless. It throws roam::ObjectGone if the collection is gone.
  template <auto Method, class... A>
  [[nodiscard]] am::Reply<void> for_all(A&&... arguments) const {
    if constexpr (!is_fine<Method, A...>) {
      explain<Method, A...>();
      return am::Reply<void>(nullptr);
    } else {
      core::require_named_arguments<A...>();
      return ask<void, mobile::ForAll<Method>, Method>(arguments...);
    }
  }
  /// Runs Method(arguments...) on every element and combines the results: `double sum = co_await
  /// grid.reduce<&Block::mass, std::plus<>>();`. Other operators are roam::Min, roam::Max,
  /// std::logical_and<>, the type of a lambda, or `&function`. Vectors are combined element by
  /// element.
  ///
  /// Values are combined over a tree of fixed shape: at each home rank in the order of indices (of
  /// keys: of their packed bytes), then in the order of ranks. The result therefore depends neither
  /// on where elements are nor on whether and when they move, to the last bit. With block placement
  /// it is in the order of all indices, so that an operator need only be associative. Throws as
  /// for_all() does, and if there is no element.
  template <auto Method, class Operator, class... A>
  [[nodiscard]] auto reduce(A&&... arguments) const {
    if constexpr (!is_fine<Method, A...>) {
      explain<Method, A...>();
      return std::suspend_never();
    } else {
      core::require_named_arguments<A...>();
      using Value = typename mobile::detail::Visit<Method, Operator>::Value;
      mobile::require_operator<Value, Operator>();
      return ask<Value, mobile::ReduceElements<Method, Operator>, Method>(arguments...);
    }
  }
  template <auto Method, auto Operator, class... A>
  [[nodiscard]] auto reduce(A&&... arguments) const {
    return reduce<Method, am::FunctionOperator<Operator>>(std::forward<A>(arguments)...);
  }

 private:
  template <auto Method, class... A>
  static constexpr bool is_fine = [] {
    if constexpr (mobile::detail::can_run_on<Method, T>) {
      using Arguments = typename mobile::detail::TraitsOf<Method>::Arguments;
      return core::are_arguments_for<Arguments, std::decay_t<A>...>;
    } else {
      return false;
    }
  }();
  /// Says by a single compile error why the method cannot be used so.
  template <auto Method, class... A>
  static constexpr void explain() {
    if constexpr (!mobile::detail::can_run_on<Method, T>) {
      mobile::detail::explain_handler<Method, T>();
    } else {
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
    auto [pending, to] = collections.messenger().expect_reply(O::shown_name, ObjectId());
    am::Reply<R> reply(pending);
    collections.start(begin<O, Method>(to.token, arguments...));
    return reply;
  }

  std::uint64_t base_;
  mobile::SectionBytes which_;
};

namespace mobile {

/// The common part of the handles of both kinds of collections.
template <class T>
class CollectionHandle {
 public:
  using element_type = T;

  [[nodiscard]] explicit operator bool() const { return shape_.base != 0; }

  /// The section of all elements. (Of a sparse collection: of those whose insertion was complete
  /// when the operation was issued, and perhaps of later ones.) The following functions are
  /// shorthand for operations on it; see Section.
  [[nodiscard]] Section<T> all() const { return {shape_.base, {}}; }
  /// Runs a method on every element and returns at once: short for all().broadcast().
  template <auto Method, class... A>
  void broadcast(A&&... arguments) const {
    all().template broadcast<Method>(std::forward<A>(arguments)...);
  }
  /// Runs a method on every element; awaitable until all have run it: short for all().for_all().
  template <auto Method, class... A>
  [[nodiscard]] am::Reply<void> for_all(A&&... arguments) const {
    return all().template for_all<Method>(std::forward<A>(arguments)...);
  }
  /// Runs a method on every element and combines the results: short for all().reduce().
  template <auto Method, class Operator, class... A>
  [[nodiscard]] auto reduce(A&&... arguments) const {
    return all().template reduce<Method, Operator>(std::forward<A>(arguments)...);
  }
  template <auto Method, auto Operator, class... A>
  [[nodiscard]] auto reduce(A&&... arguments) const {
    return all().template reduce<Method, Operator>(std::forward<A>(arguments)...);
  }

  /// Ends all elements after the operations issued before, and forgets the collection on every
  /// rank; later operations on it fail with ObjectGone (M8). Awaitable.
  [[nodiscard]] am::Reply<void> destroy() const {
    return ask_collection<void, CollectionEnd>(current_collections(), shape_.base,
                                               "the end of a collection",
                                               [](core::Packer& /*packer*/) {});
  }
  /// @cond
  [[nodiscard]] const CollectionShape& shape() const { return shape_; }

 protected:
  CollectionHandle() = default;
  explicit CollectionHandle(const CollectionShape& shape) : shape_(shape) {}
  ~CollectionHandle() = default;

  CollectionShape shape_;
  /// @endcond
};

}  // namespace mobile

}  // namespace roam
