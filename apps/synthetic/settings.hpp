// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace synthetic {

/// What an object's work consists of.
enum class Work : std::uint8_t {
  time,       ///< occupies its worker for the given time: a spin, or virtual time
  arithmetic  ///< a fixed number of dependent floating-point operations
};

/// The benchmark of section 5.3.1 of the PREMA paper. The defaults are its objects and costs.
struct Settings {
  std::int64_t objects_per_worker = 10;
  double heavy_fraction = 0.2;
  double light_seconds = 32.5;
  double factor = 68.2 / 32.5;  ///< heavy over light
  /// Each cost is multiplied by a seeded factor in [1 - spread, 1 + spread].
  double spread = 0;
  std::uint64_t object_bytes = 4096;
  Work work = Work::time;
  bool costs_given = true;  ///< announced with each call; else the runtime measures
  std::uint64_t seed = 1;
  /// The run fails if the makespan exceeds the mean load so many times; 0: any will do.
  double most_ratio = 0;
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace synthetic
