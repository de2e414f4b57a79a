// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "mesh/mesh.hpp"

namespace seismic {

/// The share of a cell in a source or receiver at a point.
struct PointShare {
  CellIndex cell;
  double weight;  ///< the weights of a point sum to 1, one for all neighbours of a cell
  Point inside;   ///< the point in the cell's own coordinates, 0 to 1 (a little outside near faces)
  /// One of the 27 cells around and including the one that the point is in, `offset` (each -1, 0,
  /// 1) cells away from it; `inside` then has the coordinates of the middle one.
  bool is_among_neighbours = false;
  std::array<int, 3> offset{};
};

/// The cells that share a source or receiver at `point`. If it is within a fiftieth of the smallest
/// cell of a face, the cells on both sides have shares, in proportion to the distance: results are
/// continuous when a point crosses a face. Empty if the point is outside of the domain.
[[nodiscard]] std::vector<PointShare> locate(const Mesh& mesh, const Point& point);

}  // namespace seismic
