// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>
#include <vector>

namespace roam_calibrate {

struct Settings {
  int repeats = 7;     // of each measurement, of which the median counts
  std::string output;  // "": standard output
};

/// The costs of messages between rank 0 and another rank, in seconds.
struct LinkCosts {
  std::int32_t rank = 0;
  double one_way_seconds = 0;  ///< half of a call and its answer, without data
  double send_seconds = 0;     ///< time for which a rank is busy sending one
  double gap_seconds = 0;      ///< time between two, beyond that for their bytes
  double bytes_per_second = 0;
};

struct Costs {
  double handler_seconds = 0;    ///< time of a call on an object of the same rank
  double noise = 0;              ///< a handler takes up to this fraction longer
  std::vector<LinkCosts> links;  ///< to the ranks 1, 2, 4, ...
};

/// To be called by all ranks; rank 0 learns the costs. Takes seconds.
[[nodiscard]] roam::Task<Costs> measure(roam::Runtime& rt, int repeats);

}  // namespace roam_calibrate
