// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "patch.hpp"

namespace simple_pic {

/// The command line, of the flow program and of the one with MPI alone.
struct Settings {
  Box box;
  int steps = 40;
  int phase_steps = 10;
  bool is_reversed = false;
  /// 1, or -1 in steps that go backwards.
  [[nodiscard]] int sign_of(int step) const { return is_reversed && step >= steps / 2 ? -1 : 1; }
};

/// Parses the options. Returns the exit status if the program should end, else -1.
int read_settings(int argc, char** argv, Settings& settings);

/// What a run has found.
struct Streamed {
  Found found;
  std::int64_t migrants = 0;
  int most_rounds = 0;  ///< the most rounds of passing particles on in one step
  double seconds = 0;   ///< of the steps
};

/// Prints counts and time, in lines of a name, two spaces or more and a value. Throws
/// std::runtime_error if a particle is not where its number says, or not there once.
void report(const Settings& settings, const Streamed& streamed);

}  // namespace simple_pic
