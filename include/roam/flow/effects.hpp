// SPDX-License-Identifier: Apache-2.0
#pragma once

// The types by which a task's parameters say what it does with its data.
#include <optional>
#include <type_traits>
#include <utility>

#include "roam/flow/detail/instance.hpp"

namespace roam::flow {

/// The task gives the datum a new value, whatever it was: `*out = x`, `out->member = x`. The value
/// begins as T(). Tasks that read the old one are not waited for.
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

/// The task modifies the datum, and it does not matter in which order tasks that do so follow each
/// other: alone with it, as soon as it is free.
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

/// The task contributes to a new value of the datum, which owes nothing to the old one: `d(x)`, any
/// number of times. Of several elements the contributions are combined by Op()(a, b) over a binary
/// tree whose shape depends on the number of elements alone: the same bits wherever they are.
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

/// The task contributes to the value that the datum has: `d(x)`, any number of times. Tasks that do
/// so may run at the same time; what they contribute is combined by Op()(a, b) with the value that
/// is there, in the order of the program.
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
  void add_to(Instance& instance) override {
    if (!sum) return;
    auto& target = static_cast<InstanceOf<T>&>(instance);
    if (instance.value() == nullptr) {
      target.emplace(std::move(*sum));
    } else {
      T& value = *static_cast<T*>(instance.value());
      value = Op()(std::as_const(value), std::as_const(*sum));
    }
  }
};

}  // namespace detail

}  // namespace roam::flow
