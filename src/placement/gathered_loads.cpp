// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/detail/gathered_loads.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "communication_time.hpp"
#include "roam/core/error.hpp"

namespace roam::placement {

namespace {

// If the background of all ranks is below this fraction of their work, it is left out.
constexpr double least_background = 0.005;

/// The links between all objects, with both directions of each pair together.
std::vector<Link> links_of(const std::vector<RankLoads>& loads) {
  std::unordered_map<std::uint64_t, std::uint32_t> index_of;
  std::uint32_t index = 0;
  for (const RankLoads& part : loads) {
    for (const std::uint64_t id : part.of.objects) index_of.insert_or_assign(id, index++);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, Link> links;
  for (const RankLoads& part : loads) {
    for (const CallEdge& edge : part.of.calls) {
      const auto from = index_of.find(edge.from);
      const auto to = index_of.find(edge.to);
      if (from == index_of.end() || to == index_of.end()) continue;
      const auto [a, b] = std::minmax(from->second, to->second);
      Link& link = links[{a, b}];
      link.a = a;
      link.b = b;
      link.bytes += part.call_scale * static_cast<double>(edge.bytes);
      link.messages += part.call_scale * static_cast<double>(edge.calls);
    }
  }
  std::vector<Link> all;
  for (const auto& [pair, link] : links) all.push_back(link);
  return all;
}

/// Whether the background matters. If not, leaving it out makes the ranks alike, and decisions
/// faster.
bool is_background_considerable(const LoadGraph& graph, const Machine& machine) {
  const auto& background = graph.background_seconds;
  const double objects = std::accumulate(graph.seconds.begin(), graph.seconds.end(), 0.0);
  const double work = std::accumulate(background.begin(), background.end(), objects);
  const double capacity = std::accumulate(machine.speeds.begin(), machine.speeds.end(), 0.0);
  for (std::size_t r = 0; r < background.size(); ++r) {
    if (background[r] > least_background * work / capacity * machine.speeds[r]) return true;
  }
  return false;
}

std::vector<std::int32_t> places_of_ranks(const GatheredLoads& all, std::size_t ranks) {
  std::vector<std::int32_t> places(ranks);
  for (std::int32_t place = 0; place < std::ssize(places); ++place)
    places[static_cast<std::size_t>(all.rank_of(place))] = place;
  return places;
}

/// The time that the moves take: that of the rank that has most to move.
double cost_seconds(const LoadGraph& graph, const Placement& placement, const Machine& machine,
                    double latency_seconds,
                    const std::function<double(std::uint64_t bytes)>& move_seconds) {
  std::vector<double> cost(static_cast<std::size_t>(machine.ranks));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (placement[i] == graph.rank[i]) continue;
    // Only the first waits for the answer.
    const double transfer = move_seconds(graph.bytes[i]) - latency_seconds;
    cost[static_cast<std::size_t>(graph.rank[i])] += transfer;
    cost[static_cast<std::size_t>(placement[i])] += transfer;
  }
  return latency_seconds + *std::ranges::max_element(cost);
}

}  // namespace

GatheredLoads gather(const std::vector<RankLoads>& loads, bool with_links,
                     const RankPlaces& places) {
  GatheredLoads all;
  if (!places.network.empty()) all.machine.network = places.network;
  all.rank_at = places.rank_at;
  LoadGraph& graph = all.graph;
  all.machine.ranks = static_cast<std::int32_t>(loads.size());
  all.machine.workers_per_rank = 1;
  all.machine.speeds.resize(loads.size());
  graph.background_seconds.resize(loads.size());
  const std::vector<std::int32_t> place_of = places_of_ranks(all, loads.size());
  for (std::size_t r = 0; r < loads.size(); ++r) {
    const PhaseLoads& part = loads[r].of;
    const auto place = static_cast<std::size_t>(place_of[r]);
    all.machine.speeds[place] = loads[r].capacity;
    graph.background_seconds[place] = loads[r].background_seconds;
    graph.seconds.insert(graph.seconds.end(), part.seconds.begin(), part.seconds.end());
    graph.bytes.insert(graph.bytes.end(), part.bytes.begin(), part.bytes.end());
    graph.coordinates.insert(graph.coordinates.end(), part.coordinates.begin(),
                             part.coordinates.end());
    graph.rank.insert(graph.rank.end(), part.objects.size(), place_of[r]);
    graph.pinned.insert(graph.pinned.end(), loads[r].stays.begin(), loads[r].stays.end());
    graph.pinned.resize(graph.rank.size());
  }
  // If every object may move, strategies need not look at the list.
  if (std::ranges::count(graph.pinned, 0) == std::ssize(graph.pinned)) graph.pinned.clear();
  if (with_links) graph.links = links_of(loads);
  if (!is_background_considerable(graph, all.machine)) graph.background_seconds.clear();
  check(graph, all.machine);
  return all;
}

Prospect prospect_of(const Placement& placement, const GatheredLoads& loads,
                     const StrategyKind& kind, double max_seconds, double latency_seconds,
                     const std::function<double(std::uint64_t bytes)>& move_seconds,
                     bool counts_communication) {
  const LoadGraph& graph = loads.graph;
  const Machine& machine = loads.machine;
  check(placement, graph, machine);
  Prospect prospect;
  prospect.after = assess(graph, machine, placement);
  prospect.gain_seconds = max_seconds - prospect.after.max_seconds;
  if (counts_communication) {
    prospect.gain_seconds = busy_times(graph, machine, graph.rank).max_seconds -
                            busy_times(graph, machine, placement).max_seconds;
  }
  prospect.cost_seconds = cost_seconds(graph, placement, machine, latency_seconds, move_seconds);
  prospect.is_worth_it = prospect.after.moved_objects > 0 &&
                         (prospect.gain_seconds > prospect.cost_seconds || kind.moves_without_gain);
  return prospect;
}

std::vector<std::vector<ObjectNote>> moves_by_rank(const std::vector<RankLoads>& loads,
                                                   const GatheredLoads& gathered,
                                                   const Placement& placement) {
  const LoadGraph& graph = gathered.graph;
  std::vector<std::vector<ObjectNote>> moves(loads.size());
  std::size_t object = 0;
  for (std::size_t r = 0; r < loads.size(); ++r) {
    for (const std::uint64_t id : loads[r].of.objects) {
      if (placement[object] != graph.rank[object]) {
        moves[r].push_back({id, graph.seconds[object], graph.bytes[object],
                            gathered.rank_of(graph.rank[object]),
                            gathered.rank_of(placement[object])});
      }
      ++object;
    }
  }
  return moves;
}

MovesOfAll moves_of_all(const std::vector<std::vector<ObjectNote>>& moves, double gain_seconds,
                        double cost_seconds) {
  MovesOfAll all{gain_seconds, cost_seconds};
  for (const auto& of_rank : moves) {
    all.objects += of_rank.size();
    for (const ObjectNote& note : of_rank) all.work_seconds += note.seconds;
  }
  return all;
}

}  // namespace roam::placement
