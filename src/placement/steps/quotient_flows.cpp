// SPDX-License-Identifier: Apache-2.0
#include "quotient_flows.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>

namespace roam::placement {

namespace {

// Room and surplus below this part of the share are rounding.
constexpr double nothing = 1e-9;
// The part of its work that a group on the way passes on, at most. Chosen: with more, a group would
// consist of newcomers.
constexpr double passed_part = 0.5;
// Of the tree of groups in which the nearest exchange work first, see plan_flows().
constexpr std::int32_t jump_arity = 2;

class Planner {
 public:
  Planner(std::span<const GroupWork> groups, std::span<const QuotientEdge> edges)
      : groups_(groups.begin(), groups.end()),
        edges_of_(groups.size()),
        surplus_(groups.size()),
        share_(groups.size()),
        passes_(groups.size()) {
    GroupWork all{0, 0};
    for (const GroupWork& group : groups) {
      all.seconds += group.seconds;
      all.capacity += group.capacity;
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      share_[g] = all.seconds * groups[g].capacity / all.capacity;
      surplus_[g] = groups[g].seconds - share_[g];
      passes_[g] = passed_part * groups[g].seconds;
    }
    for (const QuotientEdge& edge : edges) {
      edges_of_[static_cast<std::size_t>(edge.a)].push_back({edge.b, edge.cost});
      edges_of_[static_cast<std::size_t>(edge.b)].push_back({edge.a, edge.cost});
    }
  }

  std::vector<Flow> run(const QuotientSettings& settings) {
    for (std::size_t g = 0; g < surplus_.size(); ++g) {
      if (surplus_[g] <= settings.imbalance * share_[g]) continue;
      while (surplus_[g] > nothing * share_[g] && send_to_nearest(g)) {
      }
    }
    if (settings.may_jump) jump(settings.imbalance);
    std::vector<Flow> flows;
    for (const auto& [edge, seconds] : flow_) {
      if (seconds > 0) flows.push_back({edge.first, edge.second, seconds});
      if (seconds < 0) flows.push_back({edge.second, edge.first, -seconds});
    }
    std::ranges::sort(flows, {}, [](const Flow& flow) { return std::pair(flow.from, flow.to); });
    return flows;
  }

 private:
  struct Edge {
    std::int32_t to;
    double cost;
  };

  /// Sends surplus of a group to the nearest one with room (Dijkstra 1959). Returns false if there
  /// is none that it can reach.
  bool send_to_nearest(std::size_t source) {
    std::vector<double> distance(surplus_.size(), std::numeric_limits<double>::infinity());
    std::vector<std::int32_t> before(surplus_.size(), -1);
    using Item = std::pair<double, std::size_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    distance[source] = 0;
    queue.emplace(0, source);
    while (!queue.empty()) {
      const auto [reached, at] = queue.top();
      queue.pop();
      if (reached > distance[at]) continue;
      if (-surplus_[at] > nothing * share_[at]) {
        send(source, at, before);
        return true;
      }
      if (at != source && passes_[at] <= nothing * share_[at]) continue;
      for (const Edge& edge : edges_of_[at]) {
        const auto to = static_cast<std::size_t>(edge.to);
        if (reached + edge.cost >= distance[to]) continue;
        distance[to] = reached + edge.cost;
        before[to] = static_cast<std::int32_t>(at);
        queue.emplace(distance[to], to);
      }
    }
    return false;
  }

  void send(std::size_t source, std::size_t sink, const std::vector<std::int32_t>& before) {
    const auto first = static_cast<std::int32_t>(source);
    std::vector<std::int32_t> path{static_cast<std::int32_t>(sink)};
    while (path.back() != first) path.push_back(before[static_cast<std::size_t>(path.back())]);
    double seconds = std::min(surplus_[source], -surplus_[sink]);
    for (std::size_t i = 1; i + 1 < path.size(); ++i)
      seconds = std::min(seconds, passes_[static_cast<std::size_t>(path[i])]);
    surplus_[source] -= seconds;
    surplus_[sink] += seconds;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      if (i > 0) passes_[static_cast<std::size_t>(path[i])] -= seconds;
      add(path[i + 1], path[i], seconds);
    }
  }

  void add(std::int32_t from, std::int32_t to, double seconds) {
    flow_[std::minmax(from, to)] += from < to ? seconds : -seconds;
  }

  void jump(double imbalance) {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      groups_[g].seconds = std::max(0.0, share_[g] + surplus_[g]);
    for (const Flow& flow : plan_flows(groups_, jump_arity, imbalance))
      add(flow.from, flow.to, flow.seconds);
  }

  std::vector<GroupWork> groups_;
  std::vector<std::vector<Edge>> edges_of_;
  std::vector<double> surplus_;  // negative: room
  std::vector<double> share_;
  std::vector<double> passes_;  // work that a group can still pass on for others
  std::map<std::pair<std::int32_t, std::int32_t>, double> flow_;  // from the smaller to the larger
};

}  // namespace

std::vector<Flow> plan_quotient_flows(std::span<const GroupWork> groups,
                                      std::span<const QuotientEdge> edges,
                                      const QuotientSettings& settings) {
  return Planner(groups, edges).run(settings);
}

}  // namespace roam::placement
