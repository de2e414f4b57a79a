// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/balance/detail/idleness.hpp"
#include "roam/balance/load.hpp"
#include "roam/core/detail/recent_values.hpp"

namespace roam::balance {

/// Sees a rank's work come in cycles: the steps of an iterative program, bursts. A cycle lasts from
/// the first work after there was none to the next such moment. What is the matter for good then
/// shows in how much of a cycle the workers are busy, not in what happens to be left of this one.
/// Not thread-safe.
class WorkCycles {
 public:
  /// The rank's load now; to be told at every change.
  void watch(const RankLoad& load, Instant now);
  /// An object has come or left: what was seen of idleness before says little of it now.
  void forget_idleness() { idleness_.forget(); }
  /// Fills in cycle_seconds, busy_part, idle_left_seconds, idle_part and observed_seconds.
  void describe(RankLoad& load, Instant now) const;

 private:
  Instant last_{0};
  Instant begin_{0};      // of this cycle
  double idle_ = 0;       // seconds of this cycle, mean of the workers
  double idle_part_ = 1;  // of the workers, since last_
  Idleness idleness_;
  bool is_empty_ = true;
  std::uint32_t count_ = 0;        // cycles over; the one before the first work is none
  core::RecentValues<8> lengths_;  // of the last cycles, seconds; how many: chosen
  core::RecentValues<8> busy_;
  double usual_seconds_ = 0;  // their medians
  double usual_busy_ = 0;
};

}  // namespace roam::balance
