// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "settings/settings.hpp"
#include "solve/receivers.hpp"
#include "solve/solver.hpp"

namespace seismic {

/// The problem that settings describe, without the mesh.
[[nodiscard]] Problem make_problem(const Settings& settings);
/// The level that the settings' boxes demand in a cell, at all times.
[[nodiscard]] WantedLevel wanted_level(const Settings& settings);
/// The initial mesh.
[[nodiscard]] Spacetree make_tree(const Settings& settings);

/// The times and sizes of a run.
struct RunFigures {
  std::size_t least_cells = 0;
  std::size_t most_cells = 0;
  double updates = 0.0;  ///< number of unknowns updated, over all steps
  std::int64_t steps = 0;
  double wall = 0.0;        ///< wall-clock seconds of the steps
  double operations = 0.0;  ///< required by the formulas
};

/// Called after each sample: simulated time reached, s, and wall-clock seconds so far.
using Progress = std::function<void(double time, double wall)>;

/// Steps through the settings' time on one thread and records all receivers. The sampling interval
/// is a whole number of steps, and an interval between changes of the mesh is one of samples.
class SequentialRun {
 public:
  SequentialRun(const Settings& settings, InstructionSet set);

  void run(const Progress& progress);

  [[nodiscard]] const Receivers& receivers() const { return receivers_; }
  [[nodiscard]] const RunFigures& figures() const { return figures_; }
  [[nodiscard]] const Solver& solver() const { return *solver_; }

 private:
  [[nodiscard]] std::unique_ptr<Solver> make_solver(double time) const;
  void begin_mesh();
  void change_mesh();
  void record();

  Settings settings_;
  InstructionSet set_;
  Spacetree tree_;
  std::unique_ptr<Solver> solver_;
  Receivers receivers_;
  RunFigures figures_;
  std::int64_t steps_per_sample_ = 0;
};

}  // namespace seismic
