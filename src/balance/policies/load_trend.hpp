// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "roam/balance/load.hpp"
#include "roam/mobile/detail/record.hpp"

namespace roam::balance {

/// Estimates how much work a program creates on a rank while it runs, from the rank's loads at
/// successive moments minus what was moved: a rank whose work grows as fast as it is done needs
/// none from others, however little it has. A growth within a single window is no trend: a phase
/// that begins creates all its work at once.
class LoadTrend {
 public:
  /// Takes a notification of the directory; any thread.
  void notify(const mobile::Record& record, mobile::LoadListener::Change change);
  /// Takes the rank's load now; `shortest_window` in seconds. One thread at a time, as for the
  /// other functions.
  void watch(const RankLoad& load, Instant now, double shortest_window);

  /// Seconds of work that the program adds in a second.
  [[nodiscard]] double growth() const { return growth_; }
  /// The load including all work that will come until the present work is done: larger by a factor
  /// from 1 to 4, so that the trend is not trusted too far.
  [[nodiscard]] RankLoad predicted(const RankLoad& load) const;
  /// Size in bytes of the object that came last; 0: not known.
  [[nodiscard]] std::uint64_t typical_bytes() const {
    return typical_bytes_.load(std::memory_order_relaxed);
  }

 private:
  // Work that came with objects minus work that left with them.
  std::atomic<double> moved_seconds_{0};
  std::atomic<double> moved_weight_{0};
  std::atomic<std::uint64_t> typical_bytes_{0};

  Instant window_begin_{0};
  Instant last_{0};
  double total_at_begin_ = 0;
  double moved_at_begin_ = 0;
  double done_ = 0;            // seconds of work done in this window
  double running_ = 0;         // workers that were running at `last_`
  double window_growth_ = -1;  // growth in the window before; -1: there was none
  double growth_ = 0;
};

}  // namespace roam::balance
