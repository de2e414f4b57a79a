// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "settings/settings.hpp"

namespace seismic {

/// The weights by which the curve is cut into equal pieces.
enum class PieceWeight {
  cells,  ///< each cell has weight 1
  roots   ///< each cell of the coarse grid has weight 1, however often it is divided
};

/// The settings on the command line.
struct RunSettings {
  Settings waves;
  std::string file;
  std::string folder;  ///< overrides the file's; empty: not given
  int order = 0;       ///< overrides the file's; 0: not given
  std::string kernels = "auto";
  std::int32_t pieces =
      0;  ///< of the mesh: mobile objects; 0: four for each rank, eight with a balancer
  PieceWeight weight = PieceWeight::cells;
  std::int32_t cells_of_task = 0;  ///< cells predicted in one task; 0: about 0.2 ms of work
  std::int64_t phase_steps = 100;  ///< steps between the ends of phases, where something balances
  std::int64_t report_steps = 0;   ///< steps between lines of the report; 0: none
  bool is_checked = false;         ///< compares with the sequential solver, bit by bit
  bool is_sequential = false;      ///< runs without Roam
};

/// Reads the command line and the parameter file; -1: go on, else the exit status. What needs no
/// ranks (--sequential, --measure-kernels) has been done then.
[[nodiscard]] int read_run_settings(int argc, char** argv, RunSettings& settings);

}  // namespace seismic
