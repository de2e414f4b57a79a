// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mesh/mesh.hpp"

namespace seismic {

/// The share of a cell in a source or receiver at a point.
struct PointShare {
  CellIndex cell;
  double weight;  ///< the weights of a point sum to 1
  Point inside;   ///< the point in the cell's own coordinates, 0 to 1 (a little outside near faces)
};

/// The cells that share a source or receiver at `point`. If it is within a fiftieth of the smallest
/// cell of a face, the cells on both sides have shares, in proportion to the distance: results are
/// continuous when a point crosses a face. Empty if the point is outside of the domain.
[[nodiscard]] std::vector<PointShare> locate(const Mesh& mesh, const Point& point);

}  // namespace seismic
