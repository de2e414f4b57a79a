// SPDX-License-Identifier: Apache-2.0
#include "benefit.hpp"

#include <algorithm>

namespace roam::offload {

void Benefit::add(const StepView& step, bool is_offloading) {
  if (is_offloading != was_offloading_) {
    was_offloading_ = is_offloading;
    settling_ = steps_to_settle;
    if (is_offloading) with_.clear();
  }
  steps_with_ = is_offloading ? steps_with_ + 1 : 0;
  double longest = 0;
  std::uint64_t tasks = 0;
  for (const RankStep& rank : step.ranks) {
    longest = std::max(longest, double{rank.seconds});
    tasks += rank.tasks;
  }
  if (tasks == 0) return;
  if (settling_ > 0) {
    --settling_;
    return;
  }
  (is_offloading ? with_ : without_).add(longest / static_cast<double>(tasks));
}

Benefit::Verdict Benefit::verdict() const {
  if (!has_baseline() || with_.size() < enough_with) return Verdict::unknown;
  // With few steps the fastest one counts, since the first steps of a program take longer.
  const double without = without_.size() < 3 ? without_.least() : without_.median();
  if (with_.median() < without * (1 - least_gain)) return Verdict::gain;
  return steps_with_ > long_ago ? Verdict::loss_if_still_true : Verdict::loss;
}

}  // namespace roam::offload
