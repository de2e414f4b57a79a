// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "layout.hpp"
#include "molecular_dynamics/cell_state.hpp"
#include "support/start.hpp"

namespace leanmd {

struct Settings {
  md::Model model;  ///< what is simulated
  std::int64_t steps = 100;
  std::int64_t phase_steps = 20;  ///< steps between the ends of phases
  double pair_seconds = 2e-9;     ///< in virtual time, per pair of atoms in a computation
  double atom_seconds = 20e-9;    ///< in virtual time, per atom of a cell
  support::Start start = support::Start::tree;
  Computations computations = Computations::local;
  bool is_checked = true;  ///< against a serial computation of the same
  std::string json;        ///< file for the figures; empty: none
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace leanmd
