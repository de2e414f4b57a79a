// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::balance {

/// How often a rank looks at its loads while all its workers have work: looks take a small part of
/// the time at most. Written by one thread at a time, read by any.
class LookPace {
 public:
  /// One part of so many of the time goes into looks: what a look takes grows with the objects that
  /// have changed. Without a limit they took 1 % of a balanced stencil (studies/stencil_overhead).
  static constexpr int parts = 256;
  /// But the thread may have been interrupted while it looked. Chosen.
  static constexpr Duration longest_wait = std::chrono::milliseconds(2);
  /// Loads that only change from one call to the next are looked at no more often than this:
  /// recording loads then costs a call 20 to 60 ns (bench_load_recording).
  static constexpr Duration shortest_wait = std::chrono::microseconds(100);
  /// So many may come together after a while without any: a policy that sees work run out looks
  /// again just before it has. Chosen.
  static constexpr int most_together = 4;

  /// A look began at `begin` and is over.
  void looked(Instant begin, Duration took);
  /// When the policy may look that has named an earlier time itself.
  [[nodiscard]] Instant next_by_time() const {
    return Instant(next_by_time_.load(std::memory_order_relaxed));
  }
  /// When to look at what has changed.
  [[nodiscard]] Instant next_by_change() const {
    return Instant(next_by_change_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<std::int64_t> next_by_time_{0};
  std::atomic<std::int64_t> next_by_change_{0};
};

}  // namespace roam::balance
