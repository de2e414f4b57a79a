// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/core/detail/recent_values.hpp"

namespace roam::balance {

/// The part of the workers' time that was idle lately. When another rank is interrupted, this one
/// waits for it; therefore an unusually long pause counts no more than a long one of the usual,
/// unless it lasts longer than interruptions do: then it counts in full for as long as it lasts.
/// Not thread-safe.
class Idleness {
 public:
  /// Adds `seconds` in which `part` of the workers had nothing to do; `is_pause`: the rank had no
  /// work at all.
  void spend(double seconds, double part, bool is_pause);
  /// Reports that there is work again.
  void end_pause();
  /// Forgets everything, after a change that makes past idleness meaningless.
  void forget() {
    old_ = new_ = {};
    pause_ = counted_ = 0;
  }

  /// The time that is remembered: up to 2 seconds, or more if more was added at once.
  [[nodiscard]] double seconds() const { return old_.seconds + new_.seconds; }
  [[nodiscard]] double part() const;

 private:
  void remember(double seconds, double idle);
  [[nodiscard]] double usual_part_of_pause() const;
  void count_pause(double seconds);
  struct Stretch {
    double seconds = 0;
    double idle = 0;
  };
  Stretch old_;
  Stretch new_;
  core::RecentValues<8> pauses_;  // seconds; their number is chosen
  double pause_ = 0;              // length of the present pause so far
  double counted_ = 0;            // the part of it that has been counted
};

}  // namespace roam::balance
