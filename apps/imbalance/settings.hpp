// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace imbalance {

/// The simulated imbalance of the DARMA study: work units whose cost grows linearly over the ranks.
struct Settings {
  std::int32_t objects_per_rank = 13;
  std::int32_t iterations = 4;
  double mean_seconds = 1;  ///< work of a rank in one iteration, on average over the ranks
  double steepness = 3;     ///< work of the last rank over that of the first
  double spread = 0.2;      ///< each object's work is multiplied by a factor in [1 - s, 1 + s]
  std::uint64_t object_bytes = 1024;
  std::uint64_t seed = 1;
  std::string json;  ///< file for the figures; empty: none
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace imbalance
