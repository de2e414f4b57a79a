// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace synthetic {

/// The work of an object.
enum class Work : std::uint8_t {
  time,       ///< occupies its worker for the given time: a spin, or virtual time
  arithmetic  ///< a fixed number of dependent floating-point operations
};

/// One object, as recorded from another program.
struct Cost {
  double seconds = 0;
  double weight = 1;  ///< cost expected by the program, in any unit
  std::uint64_t bytes = 0;
};

/// The form in which the runtime is told the cost of an object's work.
enum class Announced : std::uint8_t { seconds, weight, nothing };

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
  Announced announced = Announced::seconds;
  std::vector<Cost> costs;  ///< if not empty: these objects in place of random ones, in blocks
  std::uint64_t seed = 1;
  /// The largest ratio of makespan to mean load for which the run succeeds; 0: no limit.
  double most_ratio = 0;
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace synthetic
