// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace stencil {

struct Settings {
  std::int32_t blocks = 8;       ///< in each direction of the grid
  std::int32_t block_side = 64;  ///< cells of a block in each direction
  std::int32_t steps = 100;
  /// Virtual time of a step per cell.
  double cell_seconds = 1e-9;
  bool is_checked = true;  ///< against a serial computation of the same
  std::string json;        ///< file for the figures; empty: none
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace stencil
