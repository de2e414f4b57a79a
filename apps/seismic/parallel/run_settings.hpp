// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "settings/settings.hpp"

namespace seismic {

/// By what the curve is cut into pieces of equal weight.
enum class PieceWeight {
  cells,  ///< each cell counts
  roots   ///< each cell of the coarse grid counts, however often it is divided
};

/// What the command line says.
struct RunSettings {
  Settings waves;
  std::string file;
  std::string folder;  ///< instead of the file's; empty: that
  int order = 0;       ///< instead of the file's; 0: that
  std::string kernels = "auto";
  std::int32_t pieces =
      0;  ///< of the mesh: mobile objects; 0: four for each rank, eight with a balancer
  PieceWeight weight = PieceWeight::cells;
  std::int32_t cells_of_task = 0;  ///< predicted together; 0: as many as take about 0.2 ms
  std::int64_t phase_steps = 100;  ///< between the ends of phases, where something balances
  std::int64_t report_steps = 0;   ///< between lines of the report; 0: none
  bool is_checked = false;         ///< against the sequential solver, to the last bit
  bool is_sequential = false;      ///< without Roam
};

/// Reads the command line and the parameter file; -1: go on, else the exit status. What needs no
/// ranks (--sequential, --measure-kernels) has been done then.
[[nodiscard]] int read_run_settings(int argc, char** argv, RunSettings& settings);

}  // namespace seismic
