// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/work_cycles.hpp"

#include <algorithm>

namespace roam::balance {

namespace {

// Averages look back over about so many cycles.
constexpr std::uint32_t memory = 8;
// So many, and work is taken to go on coming in cycles,
constexpr std::uint32_t least_cycles = 2;
// until one lasts so many times the mean.
constexpr double longest_cycle = 4;

}  // namespace

void WorkCycles::watch(const RankLoad& load, Instant now) {
  idle_ += idle_part_ * seconds(now - last_);
  last_ = now;
  idle_part_ = static_cast<double>(load.idle_workers()) / load.workers;
  const bool is_empty = load.running + load.queued == 0;
  if (is_empty_ && !is_empty) {
    if (count_ > 0) {
      const double length = seconds(now - begin_);
      const double weight = 1.0 / std::min(count_, memory);
      mean_seconds_ += weight * (length - mean_seconds_);
      mean_busy_ += weight * (length - idle_ - mean_busy_);
    }
    ++count_;
    begin_ = now;
    idle_ = 0;
  }
  is_empty_ = is_empty;
}

void WorkCycles::describe(RankLoad& load, Instant now) const {
  if (count_ < 2) return;
  double length = std::min(count_ - 1, memory) * mean_seconds_;
  double busy = std::min(count_ - 1, memory) * mean_busy_;
  const double current = seconds(now - begin_);
  const double idle = idle_ + idle_part_ * seconds(now - last_);
  if (current > mean_seconds_) {  // a long one tells something before it is over
    length += current;
    busy += current - idle;
  }
  if (length > 0) load.busy_part = std::clamp(busy / length, 0.0, 1.0);
  if (count_ > least_cycles && current <= longest_cycle * mean_seconds_) {
    load.cycle_seconds = mean_seconds_;
    load.idle_left_seconds = std::max(0.0, mean_seconds_ - mean_busy_ - idle);
  }
}

}  // namespace roam::balance
