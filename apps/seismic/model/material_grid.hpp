// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <istream>
#include <vector>

#include "kernels/material.hpp"
#include "mesh/spacetree.hpp"
#include "model/grid_axis.hpp"

namespace seismic {

/// Materials at the points of a rectilinear grid. An axis on which all points have the same
/// coordinate is no axis: a grid of one x and one y is a profile of the depth.
class MaterialGrid {
 public:
  /// Lines `x y depth density p_speed s_speed` (m, kg/m3, m/s) of all points of a grid, in any
  /// order; `#` begins a comment. Throws LineError if a line is something else or no stable solid
  /// (as LayeredModel), or if points are missing or there twice.
  [[nodiscard]] static MaterialGrid read(std::istream& in);

  /// Whether a point lies between points of the grid.
  [[nodiscard]] bool has_inside(const Point& point) const;
  /// Density and speeds interpolated linearly along each axis; outside of the grid those at its
  /// nearest point.
  [[nodiscard]] Material at(const Point& point) const;
  [[nodiscard]] double fastest() const;  ///< m/s

 private:
  [[nodiscard]] std::size_t place(std::size_t x, std::size_t y, std::size_t z) const {
    return (z * axes_[1].size() + y) * axes_[0].size() + x;
  }

  std::array<GridAxis, 3> axes_;
  std::vector<Material> materials_;  // [z][y][x]
};

}  // namespace seismic
