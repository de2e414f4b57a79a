// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the task of an element stores for parameters that others do not have.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "roam/flow/body_task.hpp"
#include "roam/flow/detail/reduction.hpp"
#include "roam/flow/neighbours.hpp"

namespace roam::flow::detail {

/// A parameter by which the task of an element contributes to a reduction over all of them.
template <class P>
class ReductionSlot;
template <template <class, class> class P, class T, class Op>
class ReductionSlot<P<T, Op>> {
 public:
  using Task = ReductionOf<T, Op>;
  static constexpr std::size_t accesses = 0;
  static constexpr bool has_children = false;
  struct Argument {
    Task* task;
    std::uint64_t place;
  };

  explicit ReductionSlot(const Argument& argument) : task_(argument.task), place_(argument.place) {}
  static void prepare(Access* /*none*/, const Argument& /*argument*/) {}
  void fail(const FailureRef& failure) {
    if (!std::exchange(is_over_, true)) task_->fail(place_, failure);
  }
  [[nodiscard]] std::uint64_t tag() const { return task_->tag(); }
  /// Contributes; nullopt: nothing.
  void give(std::optional<T>&& sum) {
    is_over_ = true;
    task_->give(place_, std::move(sum));
  }

  class Given {
   public:
    template <class Any>
    Given(Any& /*task*/, ReductionSlot& slot, Access* /*none*/) : slot_(slot) {}
    [[nodiscard]] P<T, Op> get() { return P<T, Op>(sum_); }
    void finish() { slot_.give(std::move(sum_)); }

   private:
    ReductionSlot& slot_;
    std::optional<T> sum_;
  };

 private:
  Task* task_;
  std::uint64_t place_;
  bool is_over_ = false;
};

/// Stores the elements around another for a parameter Neighbours<T, D>.
template <class T, int D, std::size_t N>
class NeighboursSlot {
 public:
  static constexpr std::size_t accesses = N;
  static constexpr bool has_children = false;

  explicit NeighboursSlot(const std::array<Datum*, N>& /*argument*/) {}
  void fail(const FailureRef& /*failure*/) {}
  static void prepare(Access* access, const std::array<Datum*, N>& argument) {
    for (Datum* const datum : argument) access++->datum = datum;
  }

  class Given {
   public:
    template <class Task>
    Given(Task& /*task*/, NeighboursSlot& /*slot*/, Access* access) {
      for (const T*& value : values_) value = static_cast<const T*>((access++)->instance->value());
    }
    [[nodiscard]] Neighbours<T, D> get() const { return {values_, neighbour_offsets<D, N>.data()}; }
    void finish() {}

   private:
    std::array<const T*, N> values_;
  };
};

}  // namespace roam::flow::detail
