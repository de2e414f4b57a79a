// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "support/start.hpp"

namespace kneighbor {

struct Settings {
  std::int32_t elements = 64;    ///< in the ring
  std::int32_t neighbours = 3;   ///< on each side to which an element sends
  std::int32_t iterations = 10;  ///< each ends a phase
  std::int32_t rounds = 100;     ///< per iteration
  std::int64_t bytes = 1024;     ///< per message
  /// Work of an element per round; if elements differ, that of the last one.
  double work_seconds = 0;
  double byte_seconds = 1e-10;  ///< in virtual time, for the sender, per byte of a message
  bool is_quadratic = false;    ///< work grows with the square of an element's number
  support::Start start = support::Start::tree;
  std::string json;  ///< file for the figures; empty: none
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace kneighbor
