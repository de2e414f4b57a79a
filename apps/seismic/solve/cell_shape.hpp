// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/basis.hpp"
#include "kernels/layout.hpp"
#include "mesh/mesh.hpp"
#include "model/vertical_map.hpp"
#include "solve/aligned_array.hpp"

namespace seismic {

/// The shape of a cell whose depth a VerticalMap changes. Empty for a cube.
struct CellShape {
  AlignedArray metric;   ///< [dz/dz', -dz/dx, -dz/dy][z][y][x], as CellMaterial takes it
  AlignedArray normals;  ///< [face][x, y, z][b][a]: area vectors over the cube's area

  [[nodiscard]] bool is_cube() const { return metric.size() == 0; }
  /// How many times shorter a stable step is than in the cube.
  double step_divisor = 1.0;
};

/// Throws std::invalid_argument if a horizon goes through the cell, or if the cell is turned inside
/// out.
[[nodiscard]] CellShape make_shape(const Cell& cell, const Basis& basis, const VerticalMap& map);

}  // namespace seismic
