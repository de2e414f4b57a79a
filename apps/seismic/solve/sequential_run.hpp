// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "settings/settings.hpp"
#include "solve/receivers.hpp"
#include "solve/solver.hpp"

namespace seismic {

/// The problem that settings describe.
[[nodiscard]] Problem make_problem(const Settings& settings);

/// What a run took.
struct RunFigures {
  std::size_t cells = 0;
  double unknowns = 0.0;
  std::int64_t steps = 0;
  double step = 0.0;        ///< s
  double wall = 0.0;        ///< s, of the steps
  double operations = 0.0;  ///< that the formulas need
};

/// Called after each sample: simulated time reached, s, and wall-clock seconds so far.
using Progress = std::function<void(double time, double wall)>;

/// Steps through the settings' time on one thread and records all receivers. The sampling interval
/// is a whole number of steps.
class SequentialRun {
 public:
  SequentialRun(const Settings& settings, InstructionSet set);

  void run(const Progress& progress);

  [[nodiscard]] const Receivers& receivers() const { return receivers_; }
  [[nodiscard]] const RunFigures& figures() const { return figures_; }
  [[nodiscard]] const Solver& solver() const { return solver_; }

 private:
  void record();

  Solver solver_;
  Receivers receivers_;
  RunFigures figures_;
  std::int64_t samples_;
  std::int64_t steps_per_sample_;
};

}  // namespace seismic
