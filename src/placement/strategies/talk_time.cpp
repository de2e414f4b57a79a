// SPDX-License-Identifier: Apache-2.0
#include "talk_time.hpp"

#include <algorithm>

#include "common.hpp"

namespace roam::placement {

TalkTime::TalkTime(const Machine& machine) : machine_(machine) {
  for (const NetworkLevel& level : machine.network) {
    levels_.push_back({level.overhead_seconds / machine.workers_per_rank + level.gap_seconds / 2,
                       1 / (2 * level.bandwidth_bytes_per_second)});
  }
}

double TalkTime::seconds(const Link& link, std::int32_t a, std::int32_t b) const {
  if (a == b) return 0;
  return levels_[machine_.level_between(Rank(a), Rank(b))].of(link.messages, link.bytes);
}

double TalkTime::most_seconds(const Link& link) const {
  return levels_.back().of(link.messages, link.bytes);
}

std::vector<double> TalkTime::shares(const std::vector<Link>& links) const {
  double messages = 0;
  double bytes = 0;
  for (const Link& link : links) {
    messages += link.messages;
    bytes += link.bytes;
  }
  const double most = levels_.back().of(messages, bytes);
  std::vector<double> shares;
  double share = 0;
  for (const Level& level : levels_) {
    share = std::max(share, most > 0 ? level.of(messages, bytes) / most : 1);
    shares.push_back(share);
  }
  std::ranges::reverse(shares);
  return shares;
}

BusyTimes busy_times(const LoadGraph& graph, const Machine& machine, const Placement& placement) {
  const TalkTime talk(machine);
  std::vector<double> seconds = rank_seconds(graph, machine, placement);
  BusyTimes times;
  for (const Link& link : graph.links) {
    const std::int32_t a = placement[link.a];
    const std::int32_t b = placement[link.b];
    const double each = talk.seconds(link, a, b);
    seconds[static_cast<std::size_t>(a)] += each;
    seconds[static_cast<std::size_t>(b)] += each;
    times.talk_seconds += 2 * each;
  }
  times.max_seconds = *std::ranges::max_element(seconds);
  return times;
}

}  // namespace roam::placement
