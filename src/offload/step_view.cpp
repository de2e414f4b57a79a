// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/step_view.hpp"

#include <algorithm>

namespace roam::offload {

namespace {

// Section 6, data calibration: waits shorter than 0.95 min + 0.05 max do not count.
constexpr float share_of_shortest = 0.95F;
constexpr float share_of_longest = 0.05F;

}  // namespace

double RankStep::own_load_seconds() const {
  const double here = std::max(0.0, double{busy_seconds} - double{guest_seconds});
  return here + double{task_seconds} * away;
}

std::vector<Wait> waits_for_the_latest(std::span<const RankStep> ranks) {
  std::vector<Wait> waits;
  if (ranks.size() < 2) return waits;
  const auto per_worker = [](const RankStep& rank) {
    return rank.idle_seconds / static_cast<float>(std::max(1U, rank.workers));
  };
  const auto by_idleness = [&](const RankStep& a, const RankStep& b) {
    return per_worker(a) < per_worker(b);
  };
  const auto [latest, first] = std::minmax_element(ranks.begin(), ranks.end(), by_idleness);
  const float least = per_worker(*latest);
  const float most = per_worker(*first);
  const float threshold = share_of_shortest * least + share_of_longest * most;
  for (const RankStep& rank : ranks) {
    const float wait = per_worker(rank) - least;
    if (rank.rank == latest->rank || per_worker(rank) < threshold || wait <= 0) continue;
    waits.push_back({rank.rank, latest->rank, wait * static_cast<float>(rank.workers)});
  }
  return waits;
}

}  // namespace roam::offload
