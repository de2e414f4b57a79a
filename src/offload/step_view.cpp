// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/step_view.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace roam::offload {

namespace {

// Section 6, data calibration: waits shorter than 0.95 min + 0.05 max do not count.
constexpr float share_of_shortest = 0.95F;
constexpr float share_of_longest = 0.05F;

float workers_of(const RankStep& rank) { return static_cast<float>(std::max(1U, rank.workers)); }

/// The idle time of a worker of each rank, without that in which its program awaited answers.
std::vector<float> idle_per_worker(std::span<const RankStep> ranks, std::span<const Wait> awaited) {
  std::vector<float> idle;
  idle.reserve(ranks.size());
  for (const RankStep& rank : ranks) idle.push_back(rank.idle_seconds);
  for (const Wait& wait : awaited) {
    float& rest = idle[static_cast<std::size_t>(wait.from)];
    rest = std::max(0.0F, rest - wait.seconds);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) idle[i] /= workers_of(ranks[i]);
  return idle;
}

std::vector<Wait> waits_for_the_latest(std::span<const RankStep> ranks,
                                       std::span<const float> idle) {
  std::vector<Wait> waits;
  const auto [latest, first] = std::minmax_element(idle.begin(), idle.end());
  const float threshold = share_of_shortest * *latest + share_of_longest * *first;
  const std::int32_t whom = ranks[static_cast<std::size_t>(latest - idle.begin())].rank;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const float wait = idle[i] - *latest;
    if (ranks[i].rank == whom || idle[i] < threshold || wait <= 0) continue;
    waits.push_back({ranks[i].rank, whom, wait * workers_of(ranks[i])});
  }
  return waits;
}

/// Adds waits for single ranks, which may be the ones that are waited for already.
void add_awaited(std::vector<Wait>& waits, std::span<const Wait> awaited) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> places;
  for (std::size_t i = 0; i < waits.size(); ++i) places[{waits[i].from, waits[i].to}] = i;
  for (const Wait& wait : awaited) {
    const auto place = places.find({wait.from, wait.to});
    if (place == places.end()) {
      waits.push_back(wait);
    } else {
      waits[place->second].seconds += wait.seconds;
    }
  }
}

void drop_short(std::vector<Wait>& waits, std::span<const RankStep> ranks) {
  const auto per_worker = [&](const Wait& wait) {
    return wait.seconds / workers_of(ranks[static_cast<std::size_t>(wait.from)]);
  };
  float longest = 0;
  for (const Wait& wait : waits) longest = std::max(longest, per_worker(wait));
  std::erase_if(waits,
                [&](const Wait& wait) { return per_worker(wait) < share_of_longest * longest; });
}

}  // namespace

double RankStep::own_load_seconds() const {
  const double here = std::max(0.0, double{busy_seconds} - double{guest_seconds});
  return here + std::max(0.0, double{task_seconds} * away + double{away_excess_seconds});
}

std::vector<Wait> waits_for_the_latest(std::span<const RankStep> ranks) {
  return measured_waits(ranks, {});
}

std::vector<Wait> measured_waits(std::span<const RankStep> ranks, std::span<const Wait> awaited) {
  if (ranks.size() < 2) return {};
  const std::vector<float> idle = idle_per_worker(ranks, awaited);
  std::vector<Wait> waits = waits_for_the_latest(ranks, idle);
  if (awaited.empty()) return waits;
  add_awaited(waits, awaited);
  drop_short(waits, ranks);
  return waits;
}

}  // namespace roam::offload
