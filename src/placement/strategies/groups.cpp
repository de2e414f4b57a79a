// SPDX-License-Identifier: Apache-2.0
#include "groups.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace roam::placement {

namespace {

/// The objects placed in one group, as a problem of their own.
struct GroupProblem {
  LoadGraph graph;
  Machine machine;
  std::int32_t first_rank = 0;
  std::vector<ObjectIndex> objects;  // their numbers in the whole graph
};

/// `numbers` maps objects of the whole to their numbers in their groups.
void add_links(const LoadGraph& graph, const Placement& group_of,
               std::vector<GroupProblem>& problems) {
  if (graph.links.empty()) return;
  std::vector<ObjectIndex> number(graph.size());
  for (const GroupProblem& problem : problems) {
    for (std::size_t k = 0; k < problem.objects.size(); ++k) {
      number[problem.objects[k]] = static_cast<ObjectIndex>(k);
    }
  }
  for (const Link& link : graph.links) {
    if (group_of[link.a] != group_of[link.b]) continue;
    problems[static_cast<std::size_t>(group_of[link.a])].graph.links.push_back(
        {number[link.a], number[link.b], link.bytes, link.messages});
  }
}

GroupProblem problem_of(const LoadGraph& graph, const Machine& machine, std::int32_t first_rank,
                        std::int32_t end_rank, std::span<const ObjectIndex> objects) {
  GroupProblem problem;
  problem.first_rank = first_rank;
  problem.machine = part_of(machine, first_rank, end_rank);
  problem.objects.assign(objects.begin(), objects.end());
  LoadGraph& part = problem.graph;
  if (!graph.background_seconds.empty()) {
    part.background_seconds.assign(graph.background_seconds.begin() + first_rank,
                                   graph.background_seconds.begin() + end_rank);
  }
  const auto newcomers = std::stable_partition(
      problem.objects.begin(), problem.objects.end(), [&](ObjectIndex object) {
        return graph.rank[object] >= first_rank && graph.rank[object] < end_rank;
      });
  const auto known = static_cast<std::size_t>(newcomers - problem.objects.begin());
  for (const ObjectIndex object : problem.objects) {
    part.seconds.push_back(graph.seconds[object]);
    part.rank.push_back(graph.rank[object] - first_rank);
    if (!graph.bytes.empty()) part.bytes.push_back(graph.bytes[object]);
    if (!graph.pinned.empty()) part.pinned.push_back(graph.pinned[object]);
    if (!graph.coordinates.empty()) part.coordinates.push_back(graph.coordinates[object]);
  }
  give_newcomers_a_rank(part, problem.machine, known);
  return problem;
}

/// The graph of the same objects with groups in the place of ranks.
LoadGraph graph_of_groups(const LoadGraph& graph, std::int32_t group_ranks, std::int32_t groups) {
  LoadGraph result;
  result.seconds = graph.seconds;
  result.bytes = graph.bytes;
  result.pinned = graph.pinned;
  result.rank.resize(graph.size());
  std::ranges::transform(graph.rank, result.rank.begin(),
                         [group_ranks](std::int32_t rank) { return rank / group_ranks; });
  if (!graph.background_seconds.empty()) {
    result.background_seconds.resize(static_cast<std::size_t>(groups));
    for (std::size_t r = 0; r < graph.background_seconds.size(); ++r) {
      result.background_seconds[r / static_cast<std::size_t>(group_ranks)] +=
          graph.background_seconds[r];
    }
  }
  return result;
}

}  // namespace

void give_newcomers_a_rank(LoadGraph& graph, const Machine& machine, std::size_t known) {
  if (known == graph.size()) return;
  std::vector<double> work(static_cast<std::size_t>(machine.ranks));
  for (std::size_t r = 0; r < work.size(); ++r) work[r] = graph.background(r);
  for (std::size_t i = 0; i < known; ++i) {
    work[static_cast<std::size_t>(graph.rank[i])] += graph.seconds[i];
  }
  std::vector<RankHeap::Item> items;
  for (std::size_t r = 0; r < work.size(); ++r) {
    items.push_back({work[r] / capacity(machine, r), static_cast<std::int32_t>(r)});
  }
  RankHeap heap(std::move(items));
  for (std::size_t i = known; i < graph.size(); ++i) {
    const auto [time, rank] = heap.top();
    graph.rank[i] = rank;
    heap.change_top(time + graph.seconds[i] / capacity(machine, static_cast<std::size_t>(rank)));
  }
}

Machine part_of(const Machine& machine, std::int32_t first_rank, std::int32_t end_rank) {
  Machine part;
  part.ranks = end_rank - first_rank;
  part.workers_per_rank = machine.workers_per_rank;
  part.speeds.clear();
  for (std::int32_t r = first_rank; r < end_rank; ++r)
    part.speeds.push_back(machine.speed(Rank(r)));
  return part;
}

Machine grouped(const Machine& machine, std::int32_t group_ranks) {
  Machine result;
  result.ranks = (machine.ranks + group_ranks - 1) / group_ranks;
  result.workers_per_rank = 1;
  result.speeds.assign(static_cast<std::size_t>(result.ranks), 0);
  for (std::int32_t r = 0; r < machine.ranks; ++r) {
    result.speeds[static_cast<std::size_t>(r / group_ranks)] +=
        capacity(machine, static_cast<std::size_t>(r));
  }
  return result;
}

Placement place_in_groups(const LoadGraph& graph, const Machine& machine, std::int32_t group_ranks,
                          const RefineSettings& between, const PlaceInGroup& inside) {
  if (group_ranks >= machine.ranks) return inside(graph, machine);
  const Machine groups = grouped(machine, group_ranks);
  const Placement group_of =
      refine(graph_of_groups(graph, group_ranks, groups.ranks), groups, between);
  std::vector<ObjectIndex> order(graph.size());
  std::iota(order.begin(), order.end(), ObjectIndex{0});
  const ObjectLists lists(static_cast<std::size_t>(groups.ranks), order, group_of);
  std::vector<GroupProblem> problems;
  for (std::int32_t g = 0; g < groups.ranks; ++g) {
    const std::int32_t first = g * group_ranks;
    problems.push_back(problem_of(graph, machine, first,
                                  std::min(first + group_ranks, machine.ranks),
                                  lists[static_cast<std::size_t>(g)]));
  }
  add_links(graph, group_of, problems);
  Placement placement(graph.size());
  for (const GroupProblem& problem : problems) {
    const Placement part = inside(problem.graph, problem.machine);
    for (std::size_t k = 0; k < part.size(); ++k) {
      placement[problem.objects[k]] = problem.first_rank + part[k];
    }
  }
  return placement;
}

}  // namespace roam::placement
