// SPDX-License-Identifier: Apache-2.0
#include "travel_costs.hpp"

#include <algorithm>

namespace roam::offload {

namespace {

// The factor by which a cost decreases in a step without a measurement: half after 140 steps.
constexpr double remembered = 0.995;
// With fewer tasks the time is too uncertain.
constexpr std::uint32_t least_guests = 8;
constexpr double most_slowdown = 16;

}  // namespace

void TravelCosts::Cost::not_measured() {
  last = -1;
  value *= remembered;
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
    const RankStep& from = step.ranks[static_cast<std::size_t>(flow.from)];
    home_seconds += double{from.task_seconds} * flow.allowed;
    sent += flow.allowed;
  }
  if (guests < least_guests || home_seconds <= 0) return slowdown_.not_measured();
  const double times = (guest_seconds / guests) / (home_seconds / sent);
  slowdown_.measured(std::clamp(times, 1.0, most_slowdown) - 1);
}

}  // namespace roam::offload
