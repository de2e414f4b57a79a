// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "input/settings.hpp"

namespace sw4 {

/// The command line of the port, and the parameter file that it names.
struct PortSettings {
  Settings wave;
  std::array<std::int32_t, 2> blocks{};  ///< 0: as the number of workers asks for
  std::int64_t phase_steps = 20;         ///< between ends of phases, where something balances
  double point_seconds = 5e-8;           ///< of predictor or corrector, in simulated time
  bool is_checked = false;               ///< against a run without blocks, to the last bit
  std::string json;                      ///< file for the figures; empty: none
};

/// Reads the command line and the parameter file; -1: go on, else the exit status.
[[nodiscard]] int read_port_settings(int argc, char** argv, PortSettings& settings);

}  // namespace sw4
