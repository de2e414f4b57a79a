// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/travels.hpp"

#include <algorithm>

namespace roam::offload {

namespace {

// A way is congested if its victim has starved for this part of the time for which it has computed,
constexpr double starved_part = 0.5;
// and if tasks have travelled longer than the fastest one by as many times as one takes, on
// average: a rank that computes takes in results only after its own task.
constexpr double delayed_tasks = 2;
// Less than this is jitter of the network and the operating system.
constexpr double least_delay_seconds = 100e-6;

}  // namespace

void Travels::add(const Returned& head, double travel_seconds) {
  const double travel = std::max(0.0, travel_seconds);
  base_seconds_ = base_seconds_ < 0 ? travel : std::min(base_seconds_, travel);
  const double delay = travel - base_seconds_;
  delayed_seconds_ += delay;
  // A victim that had nothing to do before this task was sent did not wait for it.
  starved_seconds_ += std::min(double{head.starved}, delay);
  computed_seconds_ += double{head.seconds};
  waited_seconds_ += double{head.waited};
  ++tasks_;
}

void Travels::note_outstanding(std::uint32_t tasks) {
  most_outstanding_ = std::max(most_outstanding_, tasks);
}

bool Travels::are_congested(double task_seconds) const {
  if (tasks_ == 0) return false;
  const double delay = delayed_seconds_ / tasks_;
  return starved_seconds_ >= starved_part * computed_seconds_ && delay >= least_delay_seconds &&
         delay >= delayed_tasks * task_seconds;
}

std::uint32_t Travels::enough_outstanding() const {
  const double undelayed = base_seconds_ * tasks_ + computed_seconds_ + waited_seconds_;
  const double part = std::min(0.5, undelayed / (undelayed + delayed_seconds_));
  return std::max(1U, static_cast<std::uint32_t>(part * most_outstanding_));
}

void Travels::begin_step(std::uint32_t outstanding) {
  const double base = base_seconds_;
  *this = Travels();
  base_seconds_ = base;
  most_outstanding_ = outstanding;
}

}  // namespace roam::offload
