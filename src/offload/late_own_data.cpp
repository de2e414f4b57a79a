// SPDX-License-Identifier: Apache-2.0
#include "late_own_data.hpp"

#include <algorithm>

namespace roam::offload {

namespace {

// Waits and tasks of others below this part of a step are no emergency; nor are those of a rank
// that had not as much time to spare: it has too much to do, and is critical itself.
constexpr double least_part = 0.1;

double per_worker(double seconds, const RankStep& rank) {
  return seconds / static_cast<double>(std::max(1U, rank.workers));
}

}  // namespace

std::vector<Emergency> LateOwnData::add(std::span<const RankStep> ranks,
                                        std::span<const Wait> waits) {
  double step_seconds = 0;
  for (const RankStep& rank : ranks) step_seconds = std::max(step_seconds, double{rank.seconds});
  const double least = least_part * step_seconds;
  std::vector<double> longest(ranks.size());
  std::vector<std::uint32_t> delayed(ranks.size());
  for (const Wait& wait : waits) {
    const auto whom = static_cast<std::size_t>(wait.to);
    const double waited =
        per_worker(double{wait.seconds}, ranks[static_cast<std::size_t>(wait.from)]);
    longest[whom] = std::max(longest[whom], waited);
    // Without tasks of others it would not have been late by more than they took.
    const double more = waited - anyway_[whom].median();
    if (std::min(more, per_worker(double{ranks[whom].guest_seconds}, ranks[whom])) >= least)
      ++delayed[whom];
  }
  std::vector<Emergency> emergencies;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].guests == 0) {
      anyway_[rank].add(longest[rank]);
    } else if (delayed[rank] > 0 && step_seconds > 0 && anyway_[rank].size() > 0 &&
               per_worker(double{ranks[rank].idle_seconds}, ranks[rank]) >= least) {
      emergencies.push_back({ranks[rank].rank, delayed[rank], EmergencyReason::late_own_data, -1});
    }
  }
  return emergencies;
}

}  // namespace roam::offload
