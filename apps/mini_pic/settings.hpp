// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "plasma.hpp"

namespace mini_pic {

/// The command line, of the flow program and of the one with MPI alone.
struct Settings {
  Plasma plasma;
  std::int64_t steps = 60;
  std::int64_t phase_steps = 10;
  bool is_checked = true;
};

/// Parses the options. Returns the exit status if the program should end, else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace mini_pic
