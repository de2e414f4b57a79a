// SPDX-License-Identifier: Apache-2.0
#include "communication_time.hpp"

#include <algorithm>
#include <limits>

#include "rank_seconds.hpp"
#include "shared_link_times.hpp"

namespace roam::placement {

namespace {

/// Ranks of a group of a level, on average.
double ranks_of_group(const Machine& machine, const NetworkLevel& level) {
  if (!level.parents.empty())
    return static_cast<double>(machine.ranks) / (level.parents.back() + 1);
  return level.group_ranks > 0 ? std::min(level.group_ranks, machine.ranks) : machine.ranks;
}

}  // namespace

CommunicationTime::CommunicationTime(const Machine& machine) : machine_(machine) {
  double of_uplinks =
      std::numeric_limits<double>::infinity();  // of the levels inside, a rank's part
  for (const NetworkLevel& level : machine.network) {
    const double ranks = ranks_of_group(machine, level);
    double bandwidth = std::min(level.bandwidth_bytes_per_second, of_uplinks);
    if (level.shared_bandwidth_bytes_per_second > 0)
      bandwidth = std::min(bandwidth, level.shared_bandwidth_bytes_per_second / ranks);
    if (level.uplink_bandwidth_bytes_per_second > 0) {
      of_uplinks =
          std::min(of_uplinks, level.uplinks * level.uplink_bandwidth_bytes_per_second / ranks);
    }
    const double own = 1 / (2 * level.bandwidth_bytes_per_second);
    levels_.push_back({level.overhead_seconds / machine.workers_per_rank, level.gap_seconds / 2,
                       own, 1 / (2 * bandwidth) - own});
  }
}

CommunicationTime::Seconds CommunicationTime::seconds(const Link& link, std::int32_t a,
                                                      std::int32_t b) const {
  if (a == b) return {};
  return levels_[machine_.level_between(Rank(a), Rank(b))].of(link.messages, link.bytes);
}

double CommunicationTime::most_seconds(const Link& link) const {
  return levels_.back().of(link.messages, link.bytes).sum();
}

std::vector<double> CommunicationTime::shares(const std::vector<Link>& links) const {
  double messages = 0;
  double bytes = 0;
  for (const Link& link : links) {
    messages += link.messages;
    bytes += link.bytes;
  }
  const double most = levels_.back().of(messages, bytes).sum();
  std::vector<double> shares;
  double share = 0;
  for (const Level& level : levels_) {
    share = std::max(share, most > 0 ? level.of(messages, bytes).sum() / most : 1);
    shares.push_back(share);
  }
  std::ranges::reverse(shares);
  return shares;
}

namespace {

/// Takes off the times of workers what their background holds of messages: it was measured while
/// objects were where they are in the graph, with what workers spent for the messages of these.
void leave_out_measured_overhead(const LoadGraph& graph, const Machine& machine,
                                 const CommunicationTime& communication,
                                 std::span<const OutsideLink> outside,
                                 std::vector<double>& of_workers) {
  if (graph.background_seconds.empty()) return;
  std::vector<double> measured(of_workers.size());
  for (const Link& link : graph.links) {
    const std::int32_t a = graph.rank[link.a];
    const std::int32_t b = graph.rank[link.b];
    const double each = communication.seconds(link, a, b).of_workers;
    measured[static_cast<std::size_t>(a)] += each;
    measured[static_cast<std::size_t>(b)] += each;
  }
  for (const OutsideLink& link : outside) {
    measured[static_cast<std::size_t>(graph.rank[link.object])] +=
        communication.seconds(link).of_workers;
  }
  for (std::size_t r = 0; r < of_workers.size(); ++r)
    of_workers[r] -= std::min(measured[r], graph.background(r) / capacity(machine, r));
}

}  // namespace

BusyTimes busy_times(const LoadGraph& graph, const Machine& machine, const Placement& placement,
                     std::span<const OutsideLink> outside) {
  const CommunicationTime communication(machine);
  std::vector<double> of_workers = rank_seconds(graph, machine, placement);
  leave_out_measured_overhead(graph, machine, communication, outside, of_workers);
  std::vector<double> of_interface(of_workers.size());
  SharedLinkTimes of_shared_links(machine);
  BusyTimes times;
  for (const Link& link : graph.links) {
    const std::int32_t a = placement[link.a];
    const std::int32_t b = placement[link.b];
    const CommunicationTime::Seconds each = communication.seconds(link, a, b);
    for (const std::int32_t rank : {a, b}) {
      of_workers[static_cast<std::size_t>(rank)] += each.of_workers;
      of_interface[static_cast<std::size_t>(rank)] += each.of_interface;
    }
    of_shared_links.add(a, b, link.bytes);
    times.communication_seconds += 2 * each.sum();
  }
  for (const OutsideLink& link : outside) {
    const CommunicationTime::Seconds its = communication.seconds(link);
    const std::int32_t rank = placement[link.object];
    of_workers[static_cast<std::size_t>(rank)] += its.of_workers;
    of_interface[static_cast<std::size_t>(rank)] += its.of_interface;
    of_shared_links.add_outside(rank, link.level, link.bytes);
    times.communication_seconds += its.sum();
  }
  times.max_seconds = std::max({std::ranges::max(of_workers), std::ranges::max(of_interface),
                                of_shared_links.max_seconds()});
  return times;
}

}  // namespace roam::placement
