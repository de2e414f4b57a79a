// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/core/types.hpp"

namespace roam::balance {

/// Detects that a rank could do nothing for a while, perhaps because the operating system had taken
/// its core away. Other ranks then wait for it, but only for a short time. Not thread-safe.
class Interruptions {
 public:
  /// Thresholds in seconds, except for `unusual`, which is a factor; found with
  /// studies/stencil_overhead and the shell loop of docs/balancing.md that stops a thread for 50 ms
  /// of every second. A step that takes `shortest` seconds and `unusual` times as long as usual may
  /// have been interrupted.
  static constexpr double shortest = 0.005;
  static constexpr double unusual = 64;
  /// Most interruptions are shorter than this.
  static constexpr double longest_usual = 0.02;
  /// Anything longer than this is work.
  static constexpr double longest = 0.25;

  [[nodiscard]] static constexpr bool is_unusual(double seconds, double usual) {
    return seconds > shortest && seconds > unusual * usual;
  }
  /// The value with which a time enters a mean: an unusual time counts only so much that a lasting
  /// change shows after a few of them.
  [[nodiscard]] static constexpr double counted(double seconds, double mean) {
    return mean > 0 && is_unusual(seconds, mean) ? unusual * mean : seconds;
  }

  /// Must be called whenever the rank makes progress, with real time. No thread is needed to detect
  /// an interruption: during one there is no progress.
  void made_progress(Instant now) {
    const Duration pause = last_ == Instant(0) ? Duration::zero() : now - last_;
    last_ = now;
    if (is_unusual(seconds(pause), seconds(usual_))) settle_from(now);
    usual_ += (pause - usual_) / memory;
  }
  /// Reports that a running call has taken `taken` so far and was expected to take `usual`.
  void watch(double taken, double usual, Instant now) {
    if (is_unusual(taken, usual) && taken < longest) settle_from(now);
  }
  /// True if the rank is interrupted or has continued only a moment ago.
  [[nodiscard]] bool was_just(Instant now) const { return now < settled_at_; }

 private:
  static constexpr int memory = 64;
  // Time after which others have work again.
  static constexpr Duration settling = std::chrono::milliseconds(10);

  void settle_from(Instant now) { settled_at_ = now + settling; }

  Instant last_{0};
  Duration usual_{0};  // moving average
  Instant settled_at_{0};
};

}  // namespace roam::balance
