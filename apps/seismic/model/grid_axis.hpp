// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace seismic {

/// The coordinates of a rectilinear grid along an axis, ascending.
class GridAxis {
 public:
  GridAxis() = default;
  /// Those of all points of a grid, in any order and with repetitions.
  explicit GridAxis(std::vector<double> values) : values_(std::move(values)) {
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  }

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] double front() const { return values_.front(); }
  [[nodiscard]] double back() const { return values_.back(); }
  /// The place of a coordinate of the grid.
  [[nodiscard]] std::size_t place_of(double value) const {
    return static_cast<std::size_t>(std::lower_bound(values_.begin(), values_.end(), value) -
                                    values_.begin());
  }
  /// The places of the coordinates around x and where it lies between them, 0 to 1; outside, x is
  /// taken to be at the end.
  struct Interval {
    std::size_t before;
    std::size_t after;
    double part;
  };
  [[nodiscard]] Interval interval(double x) const {
    if (values_.size() == 1) return {0, 0, 0.0};
    const double inside = std::clamp(x, front(), back());
    const std::size_t after = std::max<std::size_t>(1, place_of(inside));
    const double before = values_[after - 1];
    return {after - 1, after, (inside - before) / (values_[after] - before)};
  }

 private:
  std::vector<double> values_;
};

}  // namespace seismic
