// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/work_cycles.hpp"

#include <algorithm>

#include "roam/balance/detail/interruptions.hpp"

namespace roam::balance {

namespace {

// Number of cycles from which on work is assumed to come in cycles. Chosen: the first may be the
// start of the program.
constexpr std::uint32_t least_cycles = 2;
// A cycle this many times longer than the others, and by more than an interruption, means that work
// no longer comes in cycles. Chosen.
constexpr double longest_cycle = 4;
// A rank that has done less than this part of the work of the cycle before is still in the same
// cycle. Chosen: steps of a program differ by less, and messages that come while a rank waits, each
// a matter of microseconds, bring less (WorkCycles.are_not_those_of_little_messages).
constexpr double least_part = 1.0 / 8;
}  // namespace

void WorkCycles::watch(const RankLoad& load, Instant now) {
  const double spent = seconds(now - last_);
  idle_ += idle_part_ * spent;
  idleness_.spend(spent, idle_part_, is_empty_);
  last_ = now;
  idle_part_ = static_cast<double>(load.idle_workers()) / load.workers;
  const bool is_empty = load.running + load.queued == 0;
  if (is_empty_ && !is_empty) {
    idleness_.end_pause();
    const double length = seconds(now - begin_);
    const double busy = length - idle_;
    if (busy >= least_part * busy_.newest()) {
      if (count_ > 0) {
        lengths_.add(length);
        busy_.add(busy);
        usual_seconds_ = lengths_.median();
        usual_busy_ = busy_.median();
        if (is_whole_) {
          whole_lengths_.add(length);
          whole_busy_.add(busy);
        }
      }
      is_whole_ = true;
      ++count_;
      begin_ = now;
      idle_ = 0;
    }
  }
  is_empty_ = is_empty;
}

void WorkCycles::begin_observation() {
  idleness_.forget();
  is_whole_ = false;
  whole_lengths_.clear();
  whole_busy_.clear();
}

void WorkCycles::describe(RankLoad& load, Instant now) const {
  Idleness idleness = idleness_;
  idleness.spend(seconds(now - last_), idle_part_, is_empty_);
  load.observed_seconds = idleness.seconds();
  load.idle_part = idleness.part();
  if (count_ < 2) return;
  const double current = seconds(now - begin_);
  const double idle = idle_ + idle_part_ * seconds(now - last_);
  if (usual_seconds_ > 0) load.busy_part = std::clamp(usual_busy_ / usual_seconds_, 0.0, 1.0);
  if (const double whole = whole_lengths_.median(); whole > 0) {
    load.busy_part = std::clamp(whole_busy_.median() / whole, 0.0, 1.0);
    load.cycles_observed_seconds = static_cast<double>(whole_lengths_.size()) * whole;
  }
  const double longest =
      std::max(longest_cycle * usual_seconds_, usual_seconds_ + Interruptions::longest_usual);
  if (count_ > least_cycles && current <= longest) {
    load.cycle_seconds = usual_seconds_;
    load.idle_left_seconds = std::max(0.0, usual_seconds_ - usual_busy_ - idle);
  }
}

}  // namespace roam::balance
