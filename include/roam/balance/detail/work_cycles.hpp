// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/balance/detail/idleness.hpp"
#include "roam/balance/load.hpp"
#include "roam/core/detail/recent_values.hpp"

namespace roam::balance {

/// Recognises that the work of a rank comes in cycles, such as the steps of an iterative program. A
/// cycle lasts from the first work after a time without any to the next such moment. A lasting
/// imbalance shows in the part of a cycle for which the workers are busy, not in the work that
/// happens to be left in the present one. Not thread-safe.
class WorkCycles {
 public:
  /// Must be told the rank's load at every change.
  void watch(const RankLoad& load, Instant now);
  /// Tells that an object has come or left, so that the busy and idle times observed so far no
  /// longer tell of what is to come. The cycle in which that happens tells nothing either.
  void begin_observation();
  /// Sets cycle_seconds, busy_part, cycles_observed_seconds, idle_left_seconds, idle_part and
  /// observed_seconds of `load`.
  void describe(RankLoad& load, Instant now) const;

 private:
  Instant last_{0};
  Instant begin_{0};      // of this cycle
  double idle_ = 0;       // seconds in this cycle, average over the workers
  double idle_part_ = 1;  // idle part of the workers since last_
  Idleness idleness_;
  bool is_empty_ = true;
  std::uint32_t count_ = 0;        // completed cycles, without what came before the first work
  core::RecentValues<8> lengths_;  // lengths of the last cycles, seconds; their number is chosen
  core::RecentValues<8> busy_;
  double usual_seconds_ = 0;  // medians of the last cycles
  double usual_busy_ = 0;
  bool is_whole_ = true;                 // no object has come or left in the present cycle
  core::RecentValues<8> whole_lengths_;  // of the last cycles since one has
  core::RecentValues<8> whole_busy_;
};

}  // namespace roam::balance
