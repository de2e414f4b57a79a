// SPDX-License-Identifier: Apache-2.0
#include "benefit.hpp"

#include <algorithm>
#include <vector>

namespace roam::offload {

namespace {

double median(const std::deque<double>& values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

}  // namespace

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
  std::deque<double>& kind = is_offloading ? with_ : without_;
  kind.push_back(longest / static_cast<double>(tasks));
  if (kind.size() > most_kept) kind.pop_front();
}

Benefit::Verdict Benefit::verdict() const {
  if (!has_baseline() || with_.size() < enough_with) return Verdict::unknown;
  // Of few steps the fastest: the first ones of a program take longer.
  const double without =
      without_.size() < 3 ? *std::ranges::min_element(without_) : median(without_);
  if (median(with_) < without * (1 - least_gain)) return Verdict::gain;
  return steps_with_ > long_ago ? Verdict::loss_if_still_true : Verdict::loss;
}

}  // namespace roam::offload
