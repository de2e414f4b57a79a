// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/idleness.hpp"

#include <algorithm>

#include "roam/balance/detail/interruptions.hpp"

namespace roam::balance {

namespace {

// Seconds: what is remembered is between so much and twice as much. Chosen: many steps of most
// iterative programs, and short enough to notice what has changed.
constexpr double half_window = 1;
// Times the usual pause that a pause counts for at most, unless it is not over and has lasted
// longer than interruptions do: this may be for good, and others may help now. Once it is over
// somebody was interrupted, if such pauses do not come again and again. Held by
// studies/stencil_overhead and test_balance (Interruption).
constexpr double longest_pause = 4;
}  // namespace

void Idleness::remember(double seconds, double idle) {
  new_.seconds += seconds;
  new_.idle += idle;
  if (new_.seconds < 0) {  // taken back what is of the older stretch by now
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
