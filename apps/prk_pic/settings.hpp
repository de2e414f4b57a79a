// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem.hpp"

namespace prk_pic {

/// The command line.
struct Settings {
  Problem problem;
  int phase_steps = 5;  ///< steps after which a phase ends
};

/// Parses the benchmark's command line. Returns the exit status if the program should end, else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace prk_pic
