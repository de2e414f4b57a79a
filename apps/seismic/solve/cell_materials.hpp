// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "kernels/basis.hpp"
#include "kernels/kernels.hpp"
#include "mesh/mesh.hpp"
#include "solve/aligned_array.hpp"

namespace seismic {

/// The material at a point of the domain.
using MaterialAtPoint = std::function<Material(const Point&)>;

/// The materials of all cells as the kernels take them: one for a cell whose nodes have the same,
/// else per node. Interfaces between cells are sharp: a face's impedances are those just inside of
/// each.
class CellMaterials {
 public:
  CellMaterials(const Mesh& mesh, const Basis& basis, const MaterialAtPoint& at);

  [[nodiscard]] CellMaterial cell(CellIndex cell) const;
  /// The side of a face that `cell` has on face `face` of it; its trace is to be filled in.
  [[nodiscard]] FaceSide face(CellIndex cell, int face) const;
  /// m/s: a step of the cell's size over this is stable (stable_step_factor).
  [[nodiscard]] double speed_bound(CellIndex cell) const;
  /// The material at node (x, y, z) of the cell.
  [[nodiscard]] Elasticity at_node(CellIndex cell, int node) const;

 private:
  struct Entry {
    Elasticity uniform{};
    Impedance impedance{};
    double speed_bound = 0.0;
    AlignedArray nodes;  // empty where uniform: [inverse density, lambda, mu][z][y][x]
    AlignedArray faces;  // [face][p, s][b][a]
  };

  void fill_varying(const Cell& cell, const Basis& basis, const MaterialAtPoint& at, Entry& entry);

  Layout layout_;
  std::vector<Entry> entries_;
};

}  // namespace seismic
