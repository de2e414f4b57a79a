// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/core/types.hpp"

namespace roam::balance {

/// Notices that a rank could do nothing for a while, perhaps since the operating system had taken
/// its core away: others wait for it then, and will not for long. Not thread-safe.
class Interruptions {
 public:
  /// All in seconds but for `unusual`, and seen with studies/stencil_overhead and the shell loop of
  /// docs/balancing.md that stops a thread for 50 ms of every second.
  /// So long, and so many times as long as usual: the system's doing, perhaps.
  static constexpr double shortest = 0.005;
  static constexpr double unusual = 64;
  /// Most are shorter than this.
  static constexpr double longest_usual = 0.02;
  /// What takes longer is work.
  static constexpr double longest = 0.25;

  [[nodiscard]] static constexpr bool is_unusual(double seconds, double usual) {
    return seconds > shortest && seconds > unusual * usual;
  }
  /// What a time counts for in a mean: of an unusual one so much that what has changed for good is
  /// known after a few of them.
  [[nodiscard]] static constexpr double counted(double seconds, double mean) {
    return mean > 0 && is_unusual(seconds, mean) ? unusual * mean : seconds;
  }

  /// To be told whenever the rank makes progress, in real time: without a thread for that, it makes
  /// none while it is interrupted.
  void made_progress(Instant now) {
    const Duration pause = last_ == Instant(0) ? Duration::zero() : now - last_;
    last_ = now;
    if (is_unusual(seconds(pause), seconds(usual_))) settle_from(now);
    usual_ += (pause - usual_) / memory;
  }
  /// A call runs that has taken so long by now and was to take `usual`.
  void watch(double taken, double usual, Instant now) {
    if (is_unusual(taken, usual) && taken < longest) settle_from(now);
  }
  /// It is, or goes on since a moment ago only.
  [[nodiscard]] bool was_just(Instant now) const { return now < settled_at_; }

 private:
  static constexpr int memory = 64;
  // Others have work again by then.
  static constexpr Duration settling = std::chrono::milliseconds(10);

  void settle_from(Instant now) { settled_at_ = now + settling; }

  Instant last_{0};
  Duration usual_{0};  // moving average
  Instant settled_at_{0};
};

}  // namespace roam::balance
