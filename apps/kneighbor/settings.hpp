// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "support/start.hpp"

namespace kneighbor {

struct Settings {
  std::int32_t elements = 64;    ///< of the ring
  std::int32_t neighbours = 3;   ///< on each side to which an element sends
  std::int32_t iterations = 10;  ///< with a phase at the end of each
  std::int32_t rounds = 100;     ///< of an iteration
  std::int64_t bytes = 1024;     ///< of a message
  double work_seconds = 0;       ///< of an element in a round, the last one's if they differ
  double byte_seconds = 1e-10;   ///< in virtual time, of its sender for a byte of a message
  bool is_quadratic = false;     ///< work grows with the square of an element's number
  support::Start start = support::Start::tree;
  std::string json;  ///< file for the figures; empty: none
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace kneighbor
