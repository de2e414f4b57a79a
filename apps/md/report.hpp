// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "molecular_dynamics/list_run.hpp"
#include "settings.hpp"

namespace md {

/// The results of a run.
struct Outcome {
  int ranks = 1;
  std::vector<StepResult> results;  ///< of all cells: at the beginning, and after each step
  Summary summary;
  Snapshot snapshot;  ///< empty if forces are not to be checked
  std::int64_t list_builds = 0;
  double seconds = 0;  ///< of all steps
};

/// True if forces are to be compared with those of all pairs: settings ask for checks, and the box
/// is at least twice the cut-off.
[[nodiscard]] bool needs_snapshot(const Settings& settings);

/// Checks that no atom is lost and that the momentum is 0 up to rounding; if settings ask for it,
/// also that the forces are those of all pairs, to 1e-12 of the largest one, and that atoms and
/// energies are bitwise those of a serial computation. Throws std::runtime_error if one is not so.
void check(const Settings& settings, const Outcome& outcome);

/// Prints the results as a table.
void report(const Settings& settings, const Outcome& outcome);

}  // namespace md
