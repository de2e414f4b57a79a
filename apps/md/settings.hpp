// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "molecular_dynamics/list_cell.hpp"

namespace md {

struct Settings {
  ListModel model;  ///< what is simulated
  std::int64_t steps = 100;
  std::int64_t phase_steps = 20;  ///< steps between the ends of phases
  double pair_seconds = 6e-9;     ///< in virtual time, for each pair in a list and step
  bool is_checked = true;         ///< against a serial computation, and forces of all pairs
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace md
