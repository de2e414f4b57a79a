// SPDX-License-Identifier: Apache-2.0
#pragma once

// The template part of Collectives: the values on their way, and what operators do to them.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "roam/am/detail/collective_call.hpp"
#include "roam/core/error.hpp"

namespace roam {

/// @cond
// Deliberately incomplete: the compiler's one-line error names the rule and the types.
template <class Operation, class Value>
struct this_operation_does_not_combine_two_values_of_the_type_into_one;
template <class Operation>
struct this_operation_has_state_which_other_ranks_do_not_see;
/// @endcond

/// The lesser of two values by `<`, as an operator of reductions; the first of equal ones.
struct Min {
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
/// The greater of two values by `<`, as an operator of reductions; the first of equal ones.
struct Max {
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

/// @cond
namespace am {

/// A function given as template argument, in the form of an operator.
template <auto Function>
struct FunctionOperator {
  template <class T>
    requires std::is_invocable_r_v<T, decltype(Function), const T&, const T&>
  [[nodiscard]] T operator()(const T& a, const T& b) const { return std::invoke(Function, a, b); }
};

namespace detail {

template <class T, class Operator>
inline constexpr bool combines = std::is_invocable_r_v<T, const Operator&, const T&, const T&>;
template <class T, class Operator>
inline constexpr bool combines_elements = false;
template <class E, class A, class Operator>
inline constexpr bool combines_elements<std::vector<E, A>, Operator> = combines<E, Operator>;

/// Sets into = a (op) b, where `into` may be a or b; vectors are combined element by element.
template <class Operator, class T>
void combine(T& into, const T& a, const T& b) {
  if constexpr (combines_elements<T, Operator>) {
    if (a.size() != b.size()) {
      throw Error("vectors of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                  " elements cannot be combined");
    }
    for (std::size_t i = 0; i < a.size(); ++i)
      into[i] = static_cast<typename T::value_type>(Operator{}(a[i], b[i]));
  } else {
    into = static_cast<T>(Operator{}(a, b));
  }
}

/// Reads a value that takes up a whole message.
template <class T>
T decode(core::Unpacker& bytes) {
  if constexpr (core::detail::is_known_to_decode<T>) {
    T value = core::unpack<T>(bytes);
    if (bytes.remaining() > 0) throw MalformedMessage("the message is longer than the value");
    return value;
  } else {
    return core::unpack_all<T>(bytes);
  }
}

}  // namespace detail

/// The value of a barrier: nothing.
class NoValue final : public CollectiveResult<void> {
 public:
  void pack(core::Packer& /*packer*/, const CollectiveStep& /*step*/) const override {}
  void take(core::Unpacker& bytes, const CollectiveStep& /*step*/) override {
    if (bytes.remaining() > 0) throw MalformedMessage("a barrier carries no value");
  }
  void result() override {}
};

/// The value of a broadcast: it is passed on as it is.
template <class T>
class PassedValue final : public CollectiveResult<T> {
 public:
  explicit PassedValue(T value) : value_(std::move(value)) {}
  void pack(core::Packer& packer, const CollectiveStep& /*step*/) const override {
    core::pack(packer, value_);
  }
  void take(core::Unpacker& bytes, const CollectiveStep& /*step*/) override {
    value_ = detail::decode<T>(bytes);
  }
  T result() override { return std::move(value_); }

 private:
  T value_;
};

/// A value that is combined with others. R is T, or std::optional<T> if only the root has a result.
template <class T, class Operator, class R>
class CombinedValue final : public CollectiveResult<R> {
 public:
  CombinedValue(T value, bool has_result) : value_(std::move(value)), has_result_(has_result) {}
  void pack(core::Packer& packer, const CollectiveStep& /*step*/) const override {
    core::pack(packer, value_);
  }
  void take(core::Unpacker& bytes, const CollectiveStep& step) override {
    T received = detail::decode<T>(bytes);
    if (step.action == CollectiveStep::Action::combine_after) {
      detail::combine<Operator>(value_, value_, received);
    } else if (step.action == CollectiveStep::Action::combine_before) {
      detail::combine<Operator>(value_, received, value_);
    } else {
      value_ = std::move(received);
    }
  }
  R result() override {
    if constexpr (std::is_same_v<R, T>) {
      return std::move(value_);
    } else {
      return has_result_ ? R(std::move(value_)) : std::nullopt;
    }
  }

 private:
  T value_;
  bool has_result_;
};

/// The values of several consecutive ranks, from rank `first` upwards; after the last rank comes
/// rank 0.
template <class T>
class GatheredValues final : public CollectiveResult<std::vector<T>> {
 public:
  GatheredValues(T value, Rank first, bool has_result) : first_(first), has_result_(has_result) {
    values_.push_back(std::move(value));
  }
  void pack(core::Packer& packer, const CollectiveStep& step) const override {
    const auto count = static_cast<std::size_t>(step.count);
    if (count == values_.size()) return core::pack(packer, values_);
    // The same bytes as a vector of them, without a copy.
    if constexpr (core::detail::BitwiseElement<T>) {
      core::pack(packer, std::uint64_t{count});
      for (std::size_t i = 0; i < count; ++i) core::pack(packer, values_[i]);
    } else {
      packer.archive().write_value(First{values_, count});
    }
  }
  void take(core::Unpacker& bytes, const CollectiveStep& step) override {
    std::vector<T> received = detail::decode<std::vector<T>>(bytes);
    if (received.size() != static_cast<std::size_t>(step.count))
      throw MalformedMessage("the message holds the values of another number of ranks");
    values_.insert(values_.end(), std::make_move_iterator(received.begin()),
                   std::make_move_iterator(received.end()));
  }
  std::vector<T> result() override {
    if (!has_result_) return {};
    const auto ranks = static_cast<std::ptrdiff_t>(values_.size());
    std::rotate(values_.begin(), values_.begin() + (ranks - first_.value()) % ranks, values_.end());
    return std::move(values_);
  }

 private:
  /// The first of the values, which are written as a vector of them is: as one value, since the
  /// archive may append bytes to each.
  struct First {
    const std::vector<T>& values;
    std::size_t count;
    template <class Archive>
    void save(Archive& archive) const {
      archive(cereal::make_size_tag(static_cast<cereal::size_type>(count)));
      for (std::size_t i = 0; i < count; ++i) archive(static_cast<const T&>(values[i]));
    }
  };

  std::vector<T> values_;
  Rank first_;
  bool has_result_;
};

}  // namespace am
/// @endcond
}  // namespace roam
