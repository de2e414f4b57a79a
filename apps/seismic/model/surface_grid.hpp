// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <istream>
#include <vector>

#include "model/grid_axis.hpp"

namespace seismic {

/// Elevations on a regular grid.
class SurfaceGrid {
 public:
  /// Reads either of the forms below: ESRI's where the first word is `ncols`. Throws LineError,
  /// also for the binary files of GMT, which tools/grid_to_xyz.py converts.
  [[nodiscard]] static SurfaceGrid read(std::istream& in);
  /// Lines `x y elevation` in m, `#` begins a comment; the points of a grid with any order of
  /// lines, as GMT's grd2xyz writes them. Throws LineError if a line is something else, or if
  /// points are missing or there twice.
  [[nodiscard]] static SurfaceGrid read_xyz(std::istream& in);
  /// An ESRI ASCII grid, as GMT (`=ef`) and GDAL write it: lines `ncols`, `nrows`, `xllcorner` or
  /// `xllcenter`, `yllcorner` or `yllcenter`, `cellsize`, perhaps `nodata_value`, and the
  /// elevations row by row from the north. Throws LineError, also where there is no elevation.
  [[nodiscard]] static SurfaceGrid read_esri(std::istream& in);

  /// Bilinear between the points; outside of them that of the edge.
  [[nodiscard]] double elevation(double x, double y) const;
  /// Whether the points, or the areas that a grid of areas gives the elevations of, cover a
  /// rectangle.
  [[nodiscard]] bool covers(double x_low, double x_high, double y_low, double y_high) const;

 private:
  GridAxis x_;
  GridAxis y_;
  std::array<double, 2> margin_{};  // that areas reach beyond the outermost points, along x and y
  std::vector<double> values_;      // [y][x]
};

}  // namespace seismic
