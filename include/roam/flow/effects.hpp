// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameter types by which a task says what it does with its data.
#include <optional>
#include <type_traits>
#include <utility>

#include "roam/flow/detail/instance.hpp"

namespace roam::flow {

/// The task gives the datum a new value that does not depend on the old one: `*out = x`,
/// `out->member = x`. The value begins as T(). The task does not wait for others that read the old
/// value.
template <class T>
class Out {
 public:
  /// @cond
  explicit Out(T& value) : value_(&value) {}
  /// @endcond
  [[nodiscard]] T& operator*() const { return *value_; }
  [[nodiscard]] T* operator->() const { return value_; }

 private:
  T* value_;
};

/// The task modifies the datum, and the order of such tasks does not matter: each runs with
/// exclusive use as soon as the datum is free.
template <class T>
class Commute {
 public:
  /// @cond
  explicit Commute(T& value) : value_(&value) {}
  /// @endcond
  [[nodiscard]] T& operator*() const { return *value_; }
  [[nodiscard]] T* operator->() const { return value_; }

 private:
  T* value_;
};

/// The task contributes to a new value of the datum that does not depend on the old one: `d(x)`,
/// any number of times. The contributions of several elements are combined by Op()(a, b) over a
/// binary tree whose shape depends on the number of elements alone, so that the result is bitwise
/// the same wherever they are.
template <class T, class Op>
class Reduce {
 public:
  /// @cond
  explicit Reduce(std::optional<T>& sum) : sum_(&sum) {}
  /// @endcond
  void operator()(T value) const {
    if (sum_->has_value()) {
      **sum_ = Op()(std::as_const(**sum_), std::as_const(value));
    } else {
      sum_->emplace(std::move(value));
    }
  }

 private:
  std::optional<T>* sum_;
};

/// The task contributes to the present value of the datum: `d(x)`, any number of times. Such tasks
/// may run at the same time; their contributions are combined by Op()(a, b) with the value that is
/// there, in the order of the program.
template <class T, class Op>
class Accumulate {
 public:
  /// @cond
  explicit Accumulate(std::optional<T>& sum) : sum_(&sum) {}
  /// @endcond
  void operator()(T value) const { Reduce<T, Op>{*sum_}(std::move(value)); }

 private:
  std::optional<T>* sum_;
};

namespace detail {

template <class T, class Op>
class PartialOf final : public Partial {
 public:
  std::optional<T> sum;
  /// Counts what the task has contributed as held until it is added.
  void hold(Core& core) requires(is_counted<T>) {
    if (sum) held_.set(core, measure(core, *sum));
  }
  void add_to(Instance& instance) override {
    if (!sum) return;
    auto& target = static_cast<InstanceOf<T>&>(instance);
    if (instance.value() == nullptr) {
      target.emplace(std::move(*sum));
    } else {
      T& value = *static_cast<T*>(instance.value());
      value = Op()(std::as_const(value), std::as_const(*sum));
      if constexpr (is_counted<T>) target.note_value();
    }
  }

 private:
  struct Nothing {};
  [[no_unique_address]] std::conditional_t<is_counted<T>, HeldBytes, Nothing> held_;
};

}  // namespace detail

}  // namespace roam::flow
