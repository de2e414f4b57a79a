// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/kernels.hpp"
#include "mesh/mesh.hpp"
#include "solve/aligned_array.hpp"
#include "solve/cell_materials.hpp"
#include "solve/damping.hpp"
#include "solve/medium.hpp"
#include "sources/point_sources.hpp"

namespace seismic {

/// The values of some cells, a whole mesh or a piece of one, and the parts of a time step: a
/// prediction per cell, a Riemann problem per face, a correction per cell. Each part does the same
/// arithmetic in the same order whichever patch a cell is in, and in whatever order the parts run.
class Patch {
 public:
  /// The first `own` cells of the mesh have values, zero at first; the others only show traces.
  Patch(const Medium& medium, Mesh mesh, CellIndex own, std::vector<PlacedSource> sources,
        int order, InstructionSet set);

  [[nodiscard]] const Mesh& mesh() const { return mesh_; }
  [[nodiscard]] CellIndex own() const { return own_; }
  [[nodiscard]] const Basis& basis() const { return basis_; }
  [[nodiscard]] const Kernels& kernels() const { return kernels_; }
  [[nodiscard]] const CellMaterials& materials() const { return materials_; }
  [[nodiscard]] bool has_source(CellIndex cell) const { return !sources_.in(cell).empty(); }

  /// Values of a cell, Layout::cell().
  [[nodiscard]] double* state(CellIndex cell) {
    return states_.data() + static_cast<std::size_t>(cell) * state_stride_;
  }
  [[nodiscard]] const double* state(CellIndex cell) const {
    return states_.data() + static_cast<std::size_t>(cell) * state_stride_;
  }
  /// The trace of one face of a cell, Layout::face(): written by a prediction, then replaced by the
  /// correction.
  [[nodiscard]] double* trace(CellIndex cell, int face);

  /// Sets the length of the steps, s.
  void set_step(double step);
  /// The next predictions are those of the step from `time` on.
  void begin_step(double time);
  /// The input of a kernel that predicts this cell.
  [[nodiscard]] PredictInput prediction(CellIndex cell) const;
  /// Predicts a cell in place. `scratch`: Kernels::scratch_size() doubles of the calling worker.
  void predict(CellIndex cell, double* scratch);
  /// Computes corrections from predicted traces, for all faces.
  void solve_faces();
  void correct(CellIndex cell);

 private:
  [[nodiscard]] FaceSide side(CellIndex cell, int face);
  /// The face between a lower and an upper side, whose area vectors `normal` has unless it is a
  /// cube's.
  void solve(int direction, const double* normal, const FaceSide& lower, const FaceSide& upper);
  void solve(const InnerFace& face);
  void solve(const BoundaryFace& face);
  void solve(const HangingFace& face);

  Mesh mesh_;
  Boundaries boundaries_;
  Flux flux_;
  DampingLayer damping_layer_;
  Basis basis_;
  Kernels kernels_;
  CellMaterials materials_;
  PointSources sources_;
  Damping damping_;
  std::vector<PartOperators> parts_;
  CellIndex own_;
  std::size_t state_stride_;
  std::size_t trace_stride_;
  AlignedArray states_;
  AlignedArray traces_;
  AlignedArray coarse_;  // trace of the coarse side, its sum of corrections, and rows
  double step_ = 0.0;
};

}  // namespace seismic
