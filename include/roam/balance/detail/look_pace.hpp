// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::balance {

/// Decides how often a rank looks at its loads while all its workers have work, so that looks take
/// only a small part of the time. Written by one thread at a time, read by any.
class LookPace {
 public:
  /// One part in so many of the time goes into looks, which take longer the more objects have
  /// changed. Without a limit they took 1 % of a balanced stencil (studies/stencil_overhead).
  static constexpr int parts = 256;
  /// The longest wait after a look, since the thread may have been interrupted while it looked.
  /// Chosen.
  static constexpr Duration longest_wait = std::chrono::milliseconds(2);
  /// The shortest time between two looks at loads that only change from one call to the next: with
  /// it, recording loads costs a call 20 to 60 ns (bench_load_recording).
  static constexpr Duration shortest_wait = std::chrono::microseconds(100);
  /// Number of looks that may follow each other at once after a time without any: a policy that
  /// expects work to run out looks again just before it does. Chosen.
  static constexpr int most_together = 4;

  /// Reports that a look began at `begin` and took `took`.
  void looked(Instant begin, Duration took);
  /// Earliest time of the next look if the policy has asked for an earlier one.
  [[nodiscard]] Instant next_by_time() const {
    return Instant(next_by_time_.load(std::memory_order_relaxed));
  }
  /// Earliest time of the next look at what has changed.
  [[nodiscard]] Instant next_by_change() const {
    return Instant(next_by_change_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<std::int64_t> next_by_time_{0};
  std::atomic<std::int64_t> next_by_change_{0};
};

}  // namespace roam::balance
