// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/balance/load.hpp"

namespace roam::balance {

/// How sure it is that workers are idle for more of the time than others for good: the square of
/// the difference of the idle parts, times the seconds it has been seen, since disturbances average
/// out with the root of time.
[[nodiscard]] constexpr double idle_evidence(double difference, double seconds) {
  return difference > 0 ? difference * difference * seconds : 0;
}
/// Enough: a difference of 1/4 for 50 ms, of half of that for four times as long. Chosen by
/// studies/stencil_overhead, whose balanced program is to keep its objects (B2).
constexpr double enough_evidence = idle_evidence(0.25, 0.05);

/// Of the rank that is short of work: when it is worth asking again those that gave nothing, since
/// its own idleness has become enough evidence, or twice as much as then. Not thread-safe.
class GrowingEvidence {
 public:
  /// At most once for each doubling.
  [[nodiscard]] bool has_grown(const RankLoad& load);
  /// If the rank, which has no work now, gets none: until it will have grown; no less than 1 ms.
  [[nodiscard]] double seconds_left(const RankLoad& load) const;

 private:
  [[nodiscard]] static double of(const RankLoad& load) {
    return idle_evidence(load.idle_part, load.observed_seconds);
  }
  double next_ = enough_evidence;
};

}  // namespace roam::balance
