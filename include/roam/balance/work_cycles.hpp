// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/balance/load.hpp"

namespace roam::balance {

/// Sees a rank's work come in cycles: the steps of an iterative program, bursts. A cycle lasts from
/// the first work after there was none to the next such moment. What is the matter for good then
/// shows in how much of a cycle the workers are busy, not in what happens to be left of this one.
/// Not thread-safe.
class WorkCycles {
 public:
  /// The rank's load now; to be told at every change.
  void watch(const RankLoad& load, Instant now);
  /// Fills in cycle_seconds, busy_part and idle_left_seconds.
  void describe(RankLoad& load, Instant now) const;

 private:
  Instant last_{0};
  Instant begin_{0};      // of this cycle
  double idle_ = 0;       // seconds of this cycle, mean of the workers
  double idle_part_ = 1;  // of the workers, since last_
  bool is_empty_ = true;
  std::uint32_t count_ = 0;  // cycles over; the one before the first work is none
  double mean_seconds_ = 0;  // moving averages of cycles
  double mean_busy_ = 0;
};

}  // namespace roam::balance
