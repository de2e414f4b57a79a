// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "kernels/basis.hpp"
#include "kernels/kernels.hpp"
#include "mesh/mesh.hpp"
#include "model/vertical_map.hpp"
#include "solve/aligned_array.hpp"
#include "solve/cell_shape.hpp"

namespace seismic {

/// The material at a point of the domain.
using MaterialAtPoint = std::function<Material(const Point&)>;

/// The materials of all cells as the kernels take them: one for a cell whose nodes have the same,
/// else per node. Interfaces between cells are sharp: a face's impedances are those just inside of
/// each.
class CellMaterials {
 public:
  /// `at` is called with points of the ground, to which `map` has moved the cells.
  CellMaterials(const Mesh& mesh, const Basis& basis, const MaterialAtPoint& at,
                const VerticalMap& map);

  [[nodiscard]] CellMaterial cell(CellIndex cell) const;
  /// The side of a face that `cell` has on face `face` of it; its trace is to be filled in.
  [[nodiscard]] FaceSide face(CellIndex cell, int face) const;
  /// m/s: a step of the cell's size over this is stable (stable_step_factor).
  [[nodiscard]] double speed_bound(CellIndex cell) const;
  /// Area vectors of a face over the cube's area, [x, y, z][b][a]; null for a cube.
  [[nodiscard]] const double* normal(CellIndex cell, int face) const;
  /// dz/dz' at the cell's nodes, [z][y][x]; null for a cube.
  [[nodiscard]] const double* stretch(CellIndex cell) const;
  /// The material at a node of the cell; of a cell that is no cube, divided (or the density
  /// multiplied) by dz/dz', so that integrals over the cube are those over the cell.
  [[nodiscard]] Elasticity at_node(CellIndex cell, int node) const;

 private:
  struct Entry {
    Elasticity uniform{};
    Impedance impedance{};
    double speed_bound = 0.0;
    AlignedArray nodes;  // empty where uniform: [inverse density, lambda, mu][z][y][x]
    AlignedArray faces;  // [face][p, s][b][a]
    CellShape shape;
  };

  void fill_varying(const Cell& cell, const Basis& basis, const MaterialAtPoint& at, Entry& entry);
  void divide_by_stretch(Entry& entry) const;
  /// The least and the greatest P impedance of the cell's faces.
  [[nodiscard]] std::pair<double, double> p_impedances(const Entry& entry) const;

  Layout layout_;
  std::vector<Entry> entries_;
};

/// s: a step that is stable in all cells of the mesh, of which none is longer.
[[nodiscard]] double longest_stable_step(const Mesh& mesh, const CellMaterials& materials);

}  // namespace seismic
