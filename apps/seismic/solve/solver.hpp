// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "solve/medium.hpp"
#include "solve/patch.hpp"

namespace seismic {

/// The data with which a computation begins.
struct Problem : Medium {
  Mesh mesh;
  std::vector<MomentSource> sources;
  PointSupport support;  ///< of these sources, and of receivers
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

  /// The longest stable step in s, which the smallest or fastest cell determines, times `factor`.
  [[nodiscard]] double longest_step(double factor = 1.0) const;
  /// Fixes the step, s. Call once, before the first step.
  void set_step(double step);
  /// Does `steps` steps, 1 or more. Between two of them a cell is corrected and predicted at once,
  /// while it is in the cache; the values are those of single steps.
  void advance(std::int64_t steps);
  [[nodiscard]] double time() const { return time_; }

  /// Values of a cell, Layout::cell().
  [[nodiscard]] double* state(CellIndex cell) { return patch_.state(cell); }
  [[nodiscard]] const double* state(CellIndex cell) const { return patch_.state(cell); }
  /// Kinetic and elastic energy, J, by the cells' quadrature.
  [[nodiscard]] double energy() const;

  [[nodiscard]] const Mesh& mesh() const { return patch_.mesh(); }
  [[nodiscard]] const VerticalMap& map() const { return map_; }
  [[nodiscard]] const PointSupport& support() const { return support_; }
  [[nodiscard]] const Basis& basis() const { return patch_.basis(); }
  [[nodiscard]] const Kernels& kernels() const { return patch_.kernels(); }
  [[nodiscard]] const CellMaterials& materials() const { return patch_.materials(); }
  /// The floating-point operations that the formulas of one step require.
  [[nodiscard]] double operations() const;

 private:
  VerticalMap map_;
  PointSupport support_;
  Patch patch_;
  AlignedArray scratch_;
  double step_ = 0.0;
  double time_;
};

}  // namespace seismic
