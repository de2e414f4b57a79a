// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace sw4 {

using Point = std::array<double, 3>;  ///< m, z downwards

/// The whole grid: points[0] x points[1] columns of points[2] points, the first ones on the surface
/// z = 0. Beyond the sides and the bottom nothing moves; layers before them take waves in.
struct Grid {
  std::array<std::int32_t, 3> points{};
  double spacing = 1.0;            ///< m
  std::array<double, 2> origin{};  ///< x and y of the first column, m
  std::int32_t layer = 0;          ///< points of the layers at the sides and the bottom; 0: none
  double damping = 0.02;           ///< strength of the dissipation in the layers, 0.02 at most

  /// Of point (i, j) of the grid, k = 1 on the surface.
  [[nodiscard]] Point position(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return {origin[0] + spacing * i, origin[1] + spacing * j, spacing * (k - 1)};
  }
  /// Whether a point lies in the grid and in none of its layers.
  [[nodiscard]] bool has_inside(const Point& point) const;
};

/// The columns i from begin[0] to end[0] - 1 and j from begin[1] to end[1] - 1.
struct Region {
  std::array<std::int32_t, 2> begin{};
  std::array<std::int32_t, 2> end{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(begin[0], begin[1], end[0], end[1]);
  }
};

/// Region (x, y) of a grid that is cut into blocks[0] x blocks[1] of equal size, or one more.
[[nodiscard]] Region region_of(const Grid& grid, const std::array<std::int32_t, 2>& blocks,
                               std::int32_t x, std::int32_t y);

/// How to cut a grid into `count` regions so that their edges are shortest.
[[nodiscard]] std::array<std::int32_t, 2> cut_of(const Grid& grid, std::int32_t count);

}  // namespace sw4
