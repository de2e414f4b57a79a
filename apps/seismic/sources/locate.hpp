// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mesh/mesh.hpp"

namespace seismic {

/// A cell's part of what is at a point.
struct PointShare {
  CellIndex cell;
  double weight;  ///< the weights of a point sum to 1
  Point inside;   ///< the point in the cell's own coordinates, 0 to 1 (a little outside near faces)
};

/// The cells that have a part of what is at `point`. Within a fiftieth of the smallest cell of a
/// face, a part belongs to either side, in proportion to the distance: a point that crosses a face
/// changes nothing at once. Empty if the point is outside of the domain.
[[nodiscard]] std::vector<PointShare> locate(const Mesh& mesh, const Point& point);

}  // namespace seismic
