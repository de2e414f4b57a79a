// SPDX-License-Identifier: Apache-2.0
#include "benefit.hpp"

#include <algorithm>

namespace roam::offload {

namespace {

/// The duration of a step, divided by the number of tasks that were computed in it; 0: none was.
double seconds_per_task(const StepView& step) {
  double longest = 0;
  std::uint64_t tasks = 0;
  std::uint64_t twice = 0;  // computed a second time because they were late
  for (const RankStep& rank : step.ranks) {
    longest = std::max(longest, double{rank.seconds});
    tasks += rank.computed + rank.guests;
    twice += rank.in_vain;
  }
  tasks -= std::min(tasks, twice);
  return tasks == 0 ? 0 : longest / static_cast<double>(tasks);
}

}  // namespace

void Benefit::add(const StepView& step, bool is_offloading) {
  if (is_offloading != was_offloading_) {
    was_offloading_ = is_offloading;
    settling_ = steps_to_settle;
    if (is_offloading) with_.clear();
  }
  steps_with_ = is_offloading ? steps_with_ + 1 : 0;
  const double seconds = seconds_per_task(step);
  if (seconds == 0) return;
  if (settling_ > 0) {
    --settling_;
    return;
  }
  (is_offloading ? with_ : without_).add(seconds);
}

bool Benefit::was_shorter(const StepView& step) const {
  return has_baseline() && seconds_per_task(step) < usual_without() * (1 - least_gain);
}

// With few steps the fastest one counts, since the first steps of a program take longer.
double Benefit::usual_without() const {
  return without_.size() < 3 ? without_.least() : without_.median();
}

bool Benefit::has_gained() const {
  return has_baseline() && with_.size() > 0 && with_.median() < usual_without() * (1 - least_gain);
}

Benefit::Verdict Benefit::verdict() const {
  if (!has_baseline() || with_.size() < enough_with) return Verdict::unknown;
  if (has_gained()) return Verdict::gain;
  return steps_with_ > long_ago ? Verdict::loss_if_still_true : Verdict::loss;
}

}  // namespace roam::offload
