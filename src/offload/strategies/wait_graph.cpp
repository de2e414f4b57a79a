// SPDX-License-Identifier: Apache-2.0
#include "wait_graph.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace roam::offload {

namespace {

/// The waits of a step, of which two in opposite directions count by their difference.
std::vector<Wait> without_mutual(const StepView& step) {
  std::vector<Wait> waits(step.waits.begin(), step.waits.end());
  std::vector<bool> waits_itself(step.ranks.size());
  for (const Wait& wait : waits) waits_itself[static_cast<std::size_t>(wait.from)] = true;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> places;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    Wait& wait = waits[i];
    if (!waits_itself[static_cast<std::size_t>(wait.to)]) continue;  // as nearly always
    const auto opposite = places.find({wait.to, wait.from});
    if (opposite == places.end()) {
      places[{wait.from, wait.to}] = i;
      continue;
    }
    Wait& other = waits[opposite->second];
    const float mutual = std::min(wait.seconds, other.seconds);
    wait.seconds -= mutual;
    other.seconds -= mutual;
  }
  std::erase_if(waits, [](const Wait& wait) { return wait.seconds <= 0; });
  return waits;
}

}  // namespace

WaitGraph::WaitGraph(const StepView& step)
    : longest_(step.ranks.size(), 0.0), waited_for_(step.ranks.size(), 0.0) {
  for (const Wait& wait : without_mutual(step)) {
    double& longest = longest_[static_cast<std::size_t>(wait.from)];
    longest = std::max(longest, double{wait.seconds});
    waited_for_[static_cast<std::size_t>(wait.to)] += wait.seconds;
  }
}

std::vector<std::int32_t> WaitGraph::critical_ranks() const {
  std::vector<std::int32_t> critical;
  for (std::size_t rank = 0; rank < longest_.size(); ++rank) {
    if (longest_[rank] <= 0 && waited_for_[rank] > 0)
      critical.push_back(static_cast<std::int32_t>(rank));
  }
  std::ranges::stable_sort(critical, std::greater<>(), [this](std::int32_t rank) {
    return waited_for_[static_cast<std::size_t>(rank)];
  });
  return critical;
}

std::optional<std::int32_t> WaitGraph::critical_rank() const {
  std::optional<std::int32_t> critical;
  double most = 0;
  for (std::size_t rank = 0; rank < longest_.size(); ++rank) {
    if (longest_[rank] > 0 || waited_for_[rank] <= most) continue;
    most = waited_for_[rank];
    critical = static_cast<std::int32_t>(rank);
  }
  return critical;
}

}  // namespace roam::offload
