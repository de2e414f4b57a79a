// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "mesh/mesh.hpp"
#include "model/boundaries.hpp"
#include "solve/aligned_array.hpp"
#include "solve/cell_materials.hpp"
#include "solve/damping.hpp"
#include "sources/point_sources.hpp"

namespace seismic {

/// Everything that a computation begins with.
struct Problem {
  Mesh mesh;
  MaterialAtPoint material;  ///< at points of the ground
  VerticalMap map;           ///< from the mesh's cubes to the ground
  Boundaries boundaries{};
  Flux flux = Flux::godunov;
  DampingLayer damping;
  std::vector<MomentSource> sources;
};

/// The wave field on a mesh, stepped in time by one thread: predictions of all cells, Riemann
/// problems of all faces, corrections of all cells (Samfass and others, Lightweight Task
/// Offloading, section 2).
class Solver {
 public:
  /// The field is zero at first. `time`: s, at which steps begin. Throws std::invalid_argument if a
  /// source is outside of the domain.
  Solver(Problem problem, int order, InstructionSet set = best_instruction_set(),
         double time = 0.0);

  /// s; for a factor of 1 the longest stable step of the smallest or fastest cell.
  [[nodiscard]] double longest_step(double factor = 1.0) const;
  /// Fixes the step, s. Call once, before the first step.
  void set_step(double step);
  /// `steps` steps, 1 or more. Between two of them a cell is corrected and predicted at once, while
  /// it is in the cache; the values are those of single steps.
  void advance(std::int64_t steps);
  [[nodiscard]] double time() const { return time_; }

  /// Values of a cell, Layout::cell().
  [[nodiscard]] double* state(CellIndex cell);
  [[nodiscard]] const double* state(CellIndex cell) const;
  /// Kinetic and elastic energy, J, by the cells' quadrature.
  [[nodiscard]] double energy() const;

  [[nodiscard]] const Mesh& mesh() const { return problem_.mesh; }
  [[nodiscard]] const VerticalMap& map() const { return problem_.map; }
  [[nodiscard]] const Basis& basis() const { return basis_; }
  [[nodiscard]] const Kernels& kernels() const { return kernels_; }
  [[nodiscard]] const CellMaterials& materials() const { return materials_; }
  /// Operations of one step that its formulas need.
  [[nodiscard]] double operations() const;

 private:
  [[nodiscard]] double* trace(CellIndex cell, int face);
  [[nodiscard]] FaceSide side(CellIndex cell, int face);
  void predict(CellIndex cell);
  void solve_faces();
  /// The face between a lower and an upper side, whose area vectors `normal` has unless it is a
  /// cube's.
  void solve(int direction, const double* normal, const FaceSide& lower, const FaceSide& upper);
  void solve_hanging(const HangingFace& face);
  void correct(CellIndex cell);

  Problem problem_;
  Basis basis_;
  Kernels kernels_;
  CellMaterials materials_;
  PointSources sources_;
  Damping damping_;
  std::vector<PartOperators> parts_;
  std::size_t cell_stride_;
  std::size_t trace_stride_;
  AlignedArray states_;
  AlignedArray traces_;
  AlignedArray scratch_;
  AlignedArray coarse_;  // trace of the coarse side, its sum of corrections, and rows
  double step_ = 0.0;
  double time_;
};

}  // namespace seismic
