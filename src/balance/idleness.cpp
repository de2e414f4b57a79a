// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/idleness.hpp"

#include <algorithm>

#include "roam/balance/detail/interruptions.hpp"

namespace roam::balance {

namespace {

// Seconds; the remembered time is between this and twice this. Chosen: many steps of most iterative
// programs, and short enough to notice changes.
constexpr double half_window = 1;
// The multiple of the usual pause that a longer pause counts for at most. Exception: a pause that
// lasts longer than interruptions do counts in full as long as it lasts, since it may be permanent
// and others may help now; once it is over, it was due to an interruption, unless such pauses
// recur. Held by studies/stencil_overhead and test_balance (Interruption).
constexpr double longest_pause = 4;
}  // namespace

void Idleness::remember(double seconds, double idle) {
  new_.seconds += seconds;
  new_.idle += idle;
  // More was taken back than this window has: the rest belongs to the older one.
  if (new_.seconds < 0) {
    old_.seconds = std::max(0.0, old_.seconds + new_.seconds);
    old_.idle = std::max(0.0, old_.idle + new_.idle);
    new_ = {};
  }
  if (new_.seconds < half_window) return;
  old_ = new_;
  new_ = {};
}

void Idleness::spend(double seconds, double part, bool is_pause) {
  if (!is_pause) return remember(seconds, part * seconds);
  pause_ += seconds;
  count_pause(pause_ > Interruptions::longest_usual ? pause_ : usual_part_of_pause());
}

void Idleness::end_pause() {
  count_pause(usual_part_of_pause());
  pauses_.add(pause_);
  pause_ = counted_ = 0;
}

double Idleness::usual_part_of_pause() const {
  return pauses_.added() == 0 ? pause_ : std::min(pause_, longest_pause * pauses_.median());
}

void Idleness::count_pause(double seconds) {
  remember(seconds - counted_, seconds - counted_);
  counted_ = seconds;
}

double Idleness::part() const {
  return seconds() > 0 ? std::min(1.0, (old_.idle + new_.idle) / seconds()) : 0;
}

}  // namespace roam::balance
