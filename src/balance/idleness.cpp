// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/idleness.hpp"

#include <algorithm>

namespace roam::balance {

namespace {

// What is remembered is between so much and twice as much.
constexpr double half_window = 1;
// A pause counts for so many times the usual one at most,
constexpr double longest_pause = 4;
// unless it lasts so long: the operating system takes a core away for less.
constexpr double longest_interruption = 0.02;

}  // namespace

void Idleness::remember(double seconds, double idle) {
  new_.seconds += seconds;
  new_.idle += idle;
  if (new_.seconds < half_window) return;
  old_ = new_;
  new_ = {};
}

void Idleness::spend(double seconds, double part, bool is_pause) {
  if (!is_pause) return remember(seconds, part * seconds);
  pause_ += seconds;
  const bool is_for_good = pauses_.count() == 0 || pause_ > longest_interruption;
  const double counts = is_for_good ? pause_ : std::min(pause_, longest_pause * pauses_.median());
  remember(counts - counted_, counts - counted_);
  counted_ = counts;
}

void Idleness::end_pause() {
  pauses_.add(pause_);
  pause_ = counted_ = 0;
}

double Idleness::part() const {
  return seconds() > 0 ? std::min(1.0, (old_.idle + new_.idle) / seconds()) : 0;
}

}  // namespace roam::balance
