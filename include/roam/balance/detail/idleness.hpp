// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/core/detail/recent_values.hpp"

namespace roam::balance {

/// Part of the time of a rank's workers that was idle lately. Where another rank is interrupted,
/// this one waits for it: a pause that is longer than others counts no more than a long one of
/// them, but for one that lasts longer than interruptions do, as long as it lasts. Not thread-safe.
class Idleness {
 public:
  /// So many seconds have gone by in which `part` of the workers had nothing to do; `is_pause`: the
  /// rank had no work at all.
  void spend(double seconds, double part, bool is_pause);
  /// There is work again.
  void end_pause();
  /// What was before says little of what comes.
  void forget() {
    old_ = new_ = {};
    pause_ = counted_ = 0;
  }

  /// The last so many seconds are remembered, up to 2 or what was spent at once.
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
  core::RecentValues<8> pauses_;  // seconds; how many: chosen
  double pause_ = 0;              // this one, until now
  double counted_ = 0;            // so much of it
};

}  // namespace roam::balance
