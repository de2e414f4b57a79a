// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace roam::core {

/// The last values of a series, `Memory` of them at most. A plain value; not thread-safe.
template <std::size_t Memory>
class RecentValues {
 public:
  void add(double value) { values_[added_++ % Memory] = value; }
  /// Forgets all values.
  void clear() { added_ = 0; }

  /// The number of values added since the last clear(), including those forgotten.
  [[nodiscard]] std::size_t added() const { return added_; }
  /// The number of values remembered.
  [[nodiscard]] std::size_t size() const { return std::min(added_, Memory); }
  /// The value added last; 0 if there was none.
  [[nodiscard]] double newest() const { return added_ == 0 ? 0 : values_[(added_ - 1) % Memory]; }
  /// The least of the values remembered; 0 if there are none.
  [[nodiscard]] double least() const {
    return added_ == 0 ? 0 : *std::min_element(values_.begin(), end_of(values_));
  }
  /// The median of the values remembered, of two in the middle the greater one; 0 if there are
  /// none. A single unusual value does not change it much.
  [[nodiscard]] double median() const {
    if (added_ == 0) return 0;
    if constexpr (Memory == 3) {  // asked for each rank of a job
      const auto [a, b, c] = values_;
      if (added_ >= 3) return std::max(std::min(a, b), std::min(std::max(a, b), c));
    }
    std::array<double, Memory> sorted = values_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(size() / 2);
    std::nth_element(sorted.begin(), middle, end_of(sorted));
    return *middle;
  }

 private:
  template <class Values>
  [[nodiscard]] auto end_of(Values& values) const {
    return values.begin() + static_cast<std::ptrdiff_t>(size());
  }

  std::array<double, Memory> values_{};
  std::size_t added_ = 0;
};

}  // namespace roam::core
