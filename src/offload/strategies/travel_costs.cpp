// SPDX-License-Identifier: Apache-2.0
#include "travel_costs.hpp"

#include <algorithm>
#include <cmath>

namespace roam::offload {

namespace {

// The factor by which a cost decreases in a step without a measurement: half after 140 steps.
constexpr double remembered = 0.995;
// With fewer tasks the time is too uncertain.
constexpr std::uint32_t least_guests = 8;
constexpr double most_slowdown = 16;
// A rank whose pace differs by less counts as one like the others: measured times vary.
constexpr double least_difference = 0.1;

/// What a task that was sent takes on its own rank, on average.
double task_seconds_of(const StepView& step, const Flow& flow) {
  const double usual = double{step.ranks[static_cast<std::size_t>(flow.from)].task_seconds};
  return flow.offloaded == 0 ? usual : usual + double{flow.excess_seconds} / flow.offloaded;
}

}  // namespace

void TravelCosts::Cost::not_measured() {
  last = -1;
  value *= remembered;
}

void TravelCosts::Pace::measured(double now) {
  if (last > 0) value = std::abs(std::log(now)) < std::abs(std::log(last)) ? now : last;
  last = now;
}

void TravelCosts::Pace::not_measured() {
  last = -1;
  value = 1 + (value - 1) * remembered;
}

double TravelCosts::Pace::factor() const {
  const bool is_usual = value < 1 + least_difference && value > 1 / (1 + least_difference);
  return is_usual ? 1 : value;
}

void TravelCosts::add(const StepView& step) {
  std::uint32_t guests = 0;
  double guest_seconds = 0;
  for (std::size_t i = 0; i < step.ranks.size(); ++i) {
    const RankStep& rank = step.ranks[i];
    guests += rank.guests;
    guest_seconds += double{rank.guest_seconds};
    if (rank.ship_seconds > 0) {
      handling_[i].measured(double{rank.ship_seconds});
    } else {
      handling_[i].not_measured();
    }
  }
  double home_seconds = 0;  // time of the tasks that might be sent, computed at home
  std::uint32_t sent = 0;
  for (const Flow& flow : step.flows) {
    home_seconds += task_seconds_of(step, flow) * flow.allowed;
    sent += flow.allowed;
  }
  const bool is_measured = guests >= least_guests && home_seconds > 0;
  const double times =
      is_measured ? std::clamp((guest_seconds / guests) / (home_seconds / sent), 1.0, most_slowdown)
                  : 0;
  add_paces(step, times);
  if (!is_measured) return slowdown_.not_measured();
  slowdown_.measured(times - 1);
}

// What each victim has taken for a task, beside what its senders take for theirs, over the same of
// all victims together.
void TravelCosts::add_paces(const StepView& step, double times_of_all) {
  if (times_of_all <= 0) {
    for (Pace& pace : paces_) pace.not_measured();
    return;
  }
  home_seconds_.assign(step.ranks.size(), {});
  for (const Flow& flow : step.flows) {
    Sent& sent = home_seconds_[static_cast<std::size_t>(flow.to)];
    sent.tasks += flow.offloaded;
    sent.seconds += task_seconds_of(step, flow) * flow.offloaded;
  }
  for (std::size_t i = 0; i < step.ranks.size(); ++i) {
    const RankStep& rank = step.ranks[i];
    const Sent& sent = home_seconds_[i];
    if (rank.guests < least_guests || sent.tasks < least_guests || sent.seconds <= 0 ||
        rank.guest_seconds <= 0) {
      paces_[i].not_measured();
      continue;
    }
    const double times = (double{rank.guest_seconds} / rank.guests) / (sent.seconds / sent.tasks);
    paces_[i].measured(std::clamp(times / times_of_all, 1 / most_slowdown, most_slowdown));
  }
}

}  // namespace roam::offload
