// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "roam/am/collective_values.hpp"
#include "roam/core/detail/spin_lock.hpp"

namespace roam::mobile {

/// Combines the values of some positions in the order of the positions, whatever the order in which
/// they come and the threads that bring them: over a balanced binary tree of fixed shape, so that
/// the result is the same to the last bit (and sums are more precise than if added one by one). A
/// position may turn out to have no value. Stores only values that wait for their neighbour.
/// Thread-safe; the operator runs without the lock, on the thread that brings the later of two
/// values.
template <class V, class Operator>
class ValueTree {
 public:
  /// Sets the number of positions, before the first value.
  void reset(std::size_t positions) {
    slots_ = std::vector<std::optional<V>>(positions);
    levels_.assign(positions, 0);
  }
  [[nodiscard]] std::size_t positions() const { return slots_.size(); }

  /// Brings the value of a position, once. Throws what the operator throws; the values below then
  /// count as missing, and the tree can still be used.
  void put(std::size_t position, std::optional<V> value) {
    std::exception_ptr failure;
    std::size_t node = position;
    for (std::uint8_t level = 0; (std::size_t{1} << level) < slots_.size(); ++level) {
      const std::size_t sibling = node ^ (std::size_t{1} << level);
      if (sibling >= slots_.size()) continue;  // without a sibling on this level
      std::optional<V> other;
      if (!meet(node, sibling, level, value, other)) break;
      try {
        value = node < sibling ? both(std::move(value), std::move(other))
                               : both(std::move(other), std::move(value));
      } catch (...) {
        failure = std::current_exception();
        value.reset();
      }
      node = std::min(node, sibling);
      if ((std::size_t{2} << level) >= slots_.size()) leave(std::move(value));
    }
    if (slots_.size() == 1) leave(std::move(value));
    if (failure) std::rethrow_exception(failure);
  }

  /// The combined value of all positions; nullopt if none has one. To be called when all have been
  /// put.
  [[nodiscard]] std::optional<V> take_result() {
    const std::lock_guard guard(lock_);
    return slots_.empty() ? std::nullopt : std::exchange(slots_[0], std::nullopt);
  }

  [[nodiscard]] static std::optional<V> both(std::optional<V> left, std::optional<V> right) {
    if (!left) return right;
    if (right) am::detail::combine<Operator>(*left, *left, *right);
    return left;
  }

 private:
  /// Removes the sibling's value and gives it, if it is there; else leaves this value to be found.
  [[nodiscard]] bool meet(std::size_t node, std::size_t sibling, std::uint8_t level,
                          std::optional<V>& value, std::optional<V>& other) {
    const std::lock_guard guard(lock_);
    if (levels_[sibling] != level + 1) {
      slots_[node] = std::move(value);
      levels_[node] = static_cast<std::uint8_t>(level + 1);
      return false;
    }
    other = std::exchange(slots_[sibling], std::nullopt);
    levels_[sibling] = 0;
    return true;
  }
  void leave(std::optional<V> value) {
    const std::lock_guard guard(lock_);
    slots_[0] = std::move(value);
  }

  core::SpinLock lock_;
  // Under lock_; the value of a node is at its first position.
  std::vector<std::optional<V>> slots_;
  // Under lock_; 1 + the level of the node that waits there; 0: none.
  std::vector<std::uint8_t> levels_;
};

}  // namespace roam::mobile
