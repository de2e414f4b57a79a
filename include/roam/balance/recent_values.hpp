// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace roam::balance {

/// The last few values of a series.
class RecentValues {
 public:
  static constexpr std::size_t memory = 8;  ///< values; chosen

  void add(double value) { values_[count_++ % memory] = value; }
  /// All there were, also those forgotten.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Of those remembered: an unusual one says nothing of the next. 0: there was none.
  [[nodiscard]] double median() const {
    if (count_ == 0) return 0;
    std::array<double, memory> sorted = values_;
    const auto known = static_cast<std::ptrdiff_t>(std::min(count_, memory));
    const auto middle = sorted.begin() + known / 2;
    std::nth_element(sorted.begin(), middle, sorted.begin() + known);
    return *middle;
  }

 private:
  std::array<double, memory> values_{};
  std::size_t count_ = 0;
};

}  // namespace roam::balance
