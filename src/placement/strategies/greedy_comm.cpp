// SPDX-License-Identifier: Apache-2.0
// Greedy placement that keeps communicating objects together: the largest object not placed yet
// goes to the rank with which it exchanges most bytes, as long as that rank stays within a limit;
// else to the one that is free first.
#include <algorithm>

#include "adjacency.hpp"
#include "rank_work.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {
namespace {

/// The ranks by the time at which they are free. Work is only added, so an outdated key is too
/// small, and looking at the top is enough to find that out.
class FreeFirst {
 public:
  explicit FreeFirst(const RankWork& work) : work_(work), heap_(items(work)) {}
  [[nodiscard]] std::size_t rank() {
    while (true) {
      const auto rank = static_cast<std::size_t>(heap_.top().rank);
      if (heap_.top().key >= work_.time(rank)) return rank;
      heap_.change_top(work_.time(rank));
    }
  }

 private:
  static std::vector<RankHeap::Item> items(const RankWork& work) {
    std::vector<RankHeap::Item> result;
    for (std::size_t r = 0; r < work.ranks(); ++r) {
      result.push_back({work.time(r), static_cast<std::int32_t>(r)});
    }
    return result;
  }
  const RankWork& work_;
  RankHeap heap_;
};

class GreedyComm final : public Strategy {
 public:
  explicit GreedyComm(double imbalance) : imbalance_(imbalance) {}

  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    RankWork work(fixed_seconds(graph, machine), machine);
    work.set_limit(lower_bound_seconds(graph, machine) * (1 + imbalance_));
    const Adjacency adjacency(graph);
    RankAffinity affinity(adjacency, work.ranks());
    FreeFirst free_first(work);
    Placement placement = graph.rank;
    const std::vector<ObjectIndex> order = movable_by_size(graph);
    for (const ObjectIndex object : order) placement[object] = -1;
    for (const ObjectIndex object : order) {
      const double seconds = graph.seconds[object];
      affinity.look_at(object, placement);
      std::size_t chosen = SIZE_MAX;
      for (const std::int32_t rank : affinity.ranks()) {
        if (work.slack(static_cast<std::size_t>(rank)) < seconds) continue;
        chosen = static_cast<std::size_t>(rank);
        break;
      }
      if (chosen == SIZE_MAX) chosen = free_first.rank();
      work.add(seconds, chosen);
      placement[object] = static_cast<std::int32_t>(chosen);
    }
    keep_at_home(graph, machine, placement);
    return placement;
  }

 private:
  const double imbalance_;
};

const StrategyRegistrar greedy_comm_registrar{
    {.name = "greedy_comm",
     .description = "largest object first, to the rank it communicates with most if that has room",
     .parameters = {{"imbalance",
                     "ranks may exceed the bound by this part for the sake of communication",
                     "0.02", 0, 1e6}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<Strategy> {
       return std::make_unique<GreedyComm>(parameters.number("imbalance"));
     },
     .uses_links = true}};

}  // namespace
}  // namespace roam::placement
