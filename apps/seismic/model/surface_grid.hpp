// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <vector>

namespace seismic {

/// Elevations on a regular grid.
class SurfaceGrid {
 public:
  /// Lines `x y elevation` in m, `#` begins a comment; the points of a grid with any order of
  /// lines, as GMT's grd2xyz writes them. Throws std::invalid_argument with the number of the line,
  /// or if points are missing.
  [[nodiscard]] static SurfaceGrid read_xyz(std::istream& in);

  /// Bilinear between the points; outside of the grid that of its edge.
  [[nodiscard]] double elevation(double x, double y) const;
  [[nodiscard]] bool covers(double x_low, double x_high, double y_low, double y_high) const;

 private:
  std::vector<double> x_;  // ascending
  std::vector<double> y_;
  std::vector<double> values_;  // [y][x]
};

}  // namespace seismic
