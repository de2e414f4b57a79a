// SPDX-License-Identifier: Apache-2.0
#pragma once

// The template part of operations on the elements of collections: what an operation does with one
// element, and how the values of elements are combined.
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "roam/am/detail/program_handler.hpp"
#include "roam/core/error.hpp"
#include "roam/exec/task.hpp"
#include "roam/mobile/detail/collections.hpp"
#include "roam/mobile/detail/value_tree.hpp"

namespace roam::mobile {

/// Requires an operator of reductions that is a type without state: one of <functional>, roam::Min
/// or roam::Max, a lambda without captures, or a function given as template argument,
/// am::FunctionOperator<&f>.
template <class V, class Operator>
constexpr void require_operator() {
  if constexpr (!std::is_empty_v<Operator>) {
    (void)sizeof(this_operation_has_state_which_other_ranks_do_not_see<Operator>);
  } else if constexpr (!am::detail::combines_elements<V, Operator> &&
                       !am::detail::combines<V, Operator>) {
    (void)sizeof(this_operation_does_not_combine_two_values_of_the_type_into_one<Operator, V>);
  }
}

/// An operation that runs a method on the elements of a section: a broadcast, a phase or a
/// reduction.
class ElementOperation : public Operation {
 public:
  static constexpr auto effect = OperationType::Effect::uses;
  ElementOperation(Collections& collections, const OperationType& type,
                   const OperationHeader& header, SharedBytes body);

 protected:
  [[nodiscard]] std::uint32_t prepare(CollectionState& state) override;
  void start_part(CollectionState& state, std::uint32_t position) final;
  /// Calls an element; the token is sent with the call.
  virtual void visit(ObjectId element, std::uint64_t token) = 0;
  [[nodiscard]] const SharedBytes& arguments() const { return arguments_; }

 private:
  const SharedBytes body_;  // the section, then the arguments
  SharedBytes arguments_;
  std::vector<ObjectId> targets_;  // used in step() only
};

namespace detail {

/// What the program has called, null-terminated, for people to read: "for_all<&Block::step>",
/// "reduce<&Block::mass, std::plus<void>>".
template <auto F>
inline constexpr auto name_of_for_all =
    core::joined_names<core::value_name<F>().size() + 9>({"for_all<", core::value_name<F>(), ">"});
template <auto F, class Operator>
inline constexpr auto name_of_reduce =
    core::joined_names<core::value_name<F>().size() + core::type_name<Operator>().size() + 10>(
        {"reduce<", core::value_name<F>(), ", ", core::type_name<Operator>(), ">"});

template <class P>
inline constexpr bool is_writable_span = false;
template <class E>
inline constexpr bool is_writable_span<std::span<E>> = !std::is_const_v<E>;
/// True if a parameter is a span that the method may write to; each element of the collection then
/// needs its own.
template <class Tuple>
inline constexpr bool has_writable_span = false;
template <class... P>
inline constexpr bool has_writable_span<std::tuple<P...>> = (is_writable_span<P> || ...);

/// Gives an element's value to the operation at the element's home.
template <class V, class Operator>
void put_part(Collections& collections, Rank home, std::uint64_t token, V value);

/// The text of a failure: "rank 1, element (2, 3) (object 1:77), handler &Block::residual: text".
[[nodiscard]] std::string failure_of_part(const Collections& collections, ObjectId element,
                                          std::string_view method);

// As for calls, types of anonymous namespaces are allowed.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
/// What runs on an element: F, after which its part is sent to its home. Operator is void if there
/// is no value.
template <auto F, class Operator>
struct Visit {
  using Traits = TraitsOf<F>;
  using Arguments = typename Traits::Arguments;
  using Value = am::ResultOf<typename Traits::Result>;
  using Target = std::conditional_t<Traits::is_exclusive, typename Traits::Object,
                                    const typename Traits::Object>;
  static constexpr bool waits = exec::is_task<typename Traits::Result>;
  static constexpr bool has_value = !std::is_void_v<Operator>;

  /// The arguments decoded for one element, with the bytes to which they refer.
  struct Decoded {
    explicit Decoded(const SharedBytes& shared) : bytes(shared) {
      std::span<const std::byte> view = bytes.view();
      if constexpr (has_writable_span<Arguments>) {
        view = bytes.copy_to(own);
      }
      values.emplace(core::unpack_all_parameters<Arguments>(view));
    }
    SharedBytes bytes;
    std::vector<std::byte> own;
    std::optional<StoredArgumentsOf<F>> values;
  };
  static auto apply(Target& element, Decoded& arguments) {
    return apply_method<F>(const_cast<typename Traits::Object*>(&element), *arguments.values);
  }
  static void failed(Collections& collections, ObjectId id, std::uint64_t token) {
    if (token == 0) throw;  // nobody waits: it is reported as for any other call
    try {
      throw;
    } catch (const JobAborted&) {
      return;
    } catch (...) {
      collections.part_failed(id.home(), token,
                              failure_of_part(collections, id, core::value_name<F>()) + ": " +
                                  words_of(std::current_exception()));
    }
  }

  static void run(Target& element, std::uint64_t token, SharedBytes shared) {
    Collections& collections = current_collections();
    const ObjectId id = exec::current()->subject;
    try {
      Decoded arguments(shared);
      if constexpr (has_value) {
        put_part<Value, Operator>(collections, id.home(), token, apply(element, arguments));
      } else {
        static_cast<void>(apply(element, arguments));
        collections.part_ended(id.home(), token);
      }
    } catch (...) {
      failed(collections, id, token);
    }
  }
  static Task<> run_waiting(Target& element, std::uint64_t token, SharedBytes shared) {
    Collections& collections = current_collections();
    const ObjectId id = exec::current()->subject;
    try {
      Decoded arguments(shared);
      auto task = apply(element, arguments);
      if constexpr (has_value) {
        Value value = co_await std::move(task);
        put_part<Value, Operator>(collections, id.home(), token, std::move(value));
      } else {
        static_cast<void>(co_await std::move(task));
        collections.part_ended(id.home(), token);
      }
    } catch (...) {
      failed(collections, id, token);
    }
  }
  static constexpr auto handler() {
    if constexpr (waits) {
      return &run_waiting;
    } else {
      return &run;
    }
  }
};
#pragma GCC diagnostic pop

}  // namespace detail

/// Runs F on every element of a section; if it is awaited, it is a phase.
template <auto F>
class ForAll final : public ElementOperation {
 public:
  static constexpr const char* shown_name = detail::name_of_for_all<F>.data();
  ForAll(Collections& collections, const OperationHeader& header, SharedBytes body)
      : ElementOperation(collections, detail::operation_type<ForAll>, header, std::move(body)) {}

 protected:
  void visit(ObjectId element, std::uint64_t token) override {
    collections().space().template send_part<detail::Visit<F, void>::handler()>(element, token,
                                                                                token, arguments());
  }
  void answer(const am::ReplyTo& to) override { collections().messenger().answer(to); }
};

/// The part of an operation that combines values of type V.
template <class V, class Operator, class Base>
class Combining : public Base {
 public:
  using Base::Base;

 protected:
  void take_value(core::Unpacker& bytes) override {
    if (!core::unpack<bool>(bytes)) return;
    value_ = ValueTree<V, Operator>::both(std::move(value_), am::detail::decode<V>(bytes));
  }
  void pack_value(core::Packer& packer) override {
    core::pack(packer, value_.has_value());
    if (value_) core::pack(packer, *value_);
  }
  void answer(const am::ReplyTo& to) override {
    if (!value_) throw Error("a reduction over no element has no result");
    this->collections().messenger().answer(to, std::move(*value_));
  }
  std::optional<V> value_;  // first of this rank's elements, then of the ranks below, too
};

/// Takes values of type V at positions. Messages with such values find it by its number.
template <class V, class Operator>
class Reduction : public Combining<V, Operator, ElementOperation> {
 public:
  using Combining<V, Operator, ElementOperation>::Combining;
  void part_missing(std::uint32_t position) override { put(position, std::nullopt); }
  void put(std::uint32_t position, std::optional<V> value) {
    try {
      tree_.put(position, std::move(value));
    } catch (const std::exception& error) {
      this->note_failure(position, "rank " + std::to_string(this->collections().rank().value()) +
                                       ", while values were combined: " + error.what());
    }
    this->part_over();
  }

 protected:
  std::uint32_t prepare(CollectionState& state) override {
    const std::uint32_t parts = Combining<V, Operator, ElementOperation>::prepare(state);
    tree_.reset(parts);
    return parts;
  }
  void complete_value() override { this->value_ = tree_.take_result(); }

 private:
  ValueTree<V, Operator> tree_;
};

/// A reduction of the results of F on every element of a section.
template <auto F, class Operator>
class ReduceElements final
    : public Reduction<typename detail::Visit<F, Operator>::Value, Operator> {
 public:
  using Value = typename detail::Visit<F, Operator>::Value;
  static constexpr const char* shown_name = detail::name_of_reduce<F, Operator>.data();
  ReduceElements(Collections& collections, const OperationHeader& header, SharedBytes body)
      : Reduction<Value, Operator>(collections, detail::operation_type<ReduceElements>, header,
                                   std::move(body)) {}

 protected:
  void visit(ObjectId element, std::uint64_t token) override {
    this->collections().space().template send_part<detail::Visit<F, Operator>::handler()>(
        element, token, token, this->arguments());
  }
};

/// The handler on an element's home rank.
template <class V, class Operator>
void put_part_here(std::uint64_t token, V value) {
  const auto operation = current_collections().operation(Collections::operation_of(token));
  if (operation == nullptr) return;
  auto* reduction = dynamic_cast<Reduction<V, Operator>*>(operation.get());
  const std::uint32_t position = Collections::position_of(token);
  if (reduction == nullptr || position >= reduction->total())
    throw MalformedMessage("a value for an operation that has no such part");
  reduction->put(position, std::optional<V>(std::move(value)));
}

template <class V, class Operator>
void detail::put_part(Collections& collections, Rank home, std::uint64_t token, V value) {
  if (collections.is_now(home)) {
    put_part_here<V, Operator>(token, std::move(value));
  } else {
    collections.messenger().send<&put_part_here<V, Operator>>(home, token, std::move(value));
  }
}

}  // namespace roam::mobile
