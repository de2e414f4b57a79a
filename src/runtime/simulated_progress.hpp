// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "progress_counts.hpp"
#include "roam/core/detail/clock.hpp"
#include "roam/trace/detail/progress_line.hpp"

namespace roam {

/// The live line of --roam-progress for simulated jobs: reads the state of all ranks at intervals
/// of real time. It sends nothing, so that virtual time is the same with and without it. Runs on
/// the thread that runs the simulation.
class SimulatedProgress {
 public:
  /// Both must outlive it.
  SimulatedProgress(const std::vector<std::unique_ptr<Runtime>>& ranks,
                    const core::VirtualClock& clock)
      : ranks_(ranks), clock_(clock) {}
  /// Called between two events: shows the state if it is time to.
  void look();
  /// Writes the last state.
  void finish();

 private:
  [[nodiscard]] trace::ProgressFigures sum();

  const std::vector<std::unique_ptr<Runtime>>& ranks_;
  const core::VirtualClock& clock_;
  const core::SteadyClock real_;
  trace::ProgressLine line_;
  ProgressOfAll of_all_;
  Instant next_{0};  // in real time
};

}  // namespace roam
