// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/work_cycles.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace roam::balance {

namespace {

// So many, and work is taken to go on coming in cycles,
constexpr std::uint32_t least_cycles = 2;
// until one lasts so many times as long as others, and longer by so much: the operating system may
// take a core away for a while.
constexpr double longest_cycle = 4;
constexpr double longest_interruption = 0.02;

// What is remembered of idleness is between so much and twice as much.
constexpr double half_window = 0.1;

/// Of the cycles remembered. One in which the rank was interrupted says nothing of the next.
double median(std::span<const double> values) {
  std::array<double, WorkCycles::memory> sorted{};
  std::ranges::copy(values, sorted.begin());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(sorted.begin(), middle,
                   sorted.begin() + static_cast<std::ptrdiff_t>(values.size()));
  return *middle;
}

}  // namespace

void WorkCycles::Window::add(double seconds, double idle) {
  new_.seconds += seconds;
  new_.idle += idle;
  if (new_.seconds < half_window) return;
  old_ = new_;
  new_ = {};
}

void WorkCycles::watch(const RankLoad& load, Instant now) {
  const double spent = seconds(now - last_);
  idle_ += idle_part_ * spent;
  window_.add(spent, idle_part_ * spent);
  last_ = now;
  idle_part_ = static_cast<double>(load.idle_workers()) / load.workers;
  const bool is_empty = load.running + load.queued == 0;
  if (is_empty_ && !is_empty) {
    if (count_ > 0) {
      const double length = seconds(now - begin_);
      lengths_[(count_ - 1) % memory] = length;
      busy_[(count_ - 1) % memory] = length - idle_;
      const std::size_t known = std::min<std::size_t>(count_, memory);
      usual_seconds_ = median(std::span(lengths_).first(known));
      usual_busy_ = median(std::span(busy_).first(known));
    }
    ++count_;
    begin_ = now;
    idle_ = 0;
  }
  is_empty_ = is_empty;
}

void WorkCycles::describe(RankLoad& load, Instant now) const {
  Window window = window_;
  const double since = seconds(now - last_);
  window.add(since, idle_part_ * since);
  load.observed_seconds = window.seconds();
  if (load.observed_seconds > 0) {
    load.idle_part = std::min(1.0, window.idle() / load.observed_seconds);
  }
  if (count_ < 2) return;
  const double current = seconds(now - begin_);
  const double idle = idle_ + idle_part_ * seconds(now - last_);
  if (usual_seconds_ > 0) load.busy_part = std::clamp(usual_busy_ / usual_seconds_, 0.0, 1.0);
  const double longest =
      std::max(longest_cycle * usual_seconds_, usual_seconds_ + longest_interruption);
  if (count_ > least_cycles && current <= longest) {
    load.cycle_seconds = usual_seconds_;
    load.idle_left_seconds = std::max(0.0, usual_seconds_ - usual_busy_ - idle);
  }
}

}  // namespace roam::balance
