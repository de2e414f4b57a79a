// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/balance/load.hpp"

namespace roam::balance {

/// Measures how certain it is that workers are idle for more of the time than others permanently:
/// the square of the difference of the idle parts, times the seconds of observation, since the
/// error of an average falls with the root of time.
[[nodiscard]] constexpr double idle_evidence(double difference, double seconds) {
  return difference > 0 ? difference * difference * seconds : 0;
}
/// Sufficient evidence: a difference of 1/4 for 50 ms, or half of that for four times as long.
/// Chosen by studies/stencil_overhead, whose balanced program must keep its objects where they are
/// (B2).
constexpr double enough_evidence = idle_evidence(0.25, 0.05);

/// Tells a rank that is short of work when to ask again those that gave nothing: when its own
/// idleness has become sufficient evidence, or twice as much as the last time. Not thread-safe.
class GrowingEvidence {
 public:
  /// True at most once for each doubling.
  [[nodiscard]] bool has_grown(const RankLoad& load);
  /// Seconds until the evidence has grown if the rank, which has no work now, gets none; at least 1
  /// ms.
  [[nodiscard]] double seconds_left(const RankLoad& load) const;

 private:
  [[nodiscard]] static double of(const RankLoad& load) {
    return idle_evidence(load.idle_part, load.observed_seconds);
  }
  double next_ = enough_evidence;
};

}  // namespace roam::balance
