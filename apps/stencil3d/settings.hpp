// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "field.hpp"
#include "support/start.hpp"

namespace stencil3d {

struct Settings {
  Triple cells{64, 64, 64};  ///< of the grid
  Triple blocks{4, 4, 4};
  Triple waves{1, 1, 1};  ///< of the Fourier mode
  std::int64_t steps = 100;
  std::int64_t phase_steps = 10;  ///< steps between the ends of phases
  std::int32_t repeat = 1;        ///< how often each sweep is computed
  /// Some blocks compute more sweeps than others, as in the original benchmark.
  bool is_uneven = false;
  double cell_seconds = 1e-9;  ///< virtual time of a sweep per cell
  support::Start start = support::Start::tree;
  bool is_checked = true;  ///< against a serial computation of the same
  std::string json;        ///< file for the figures; empty: none
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace stencil3d
