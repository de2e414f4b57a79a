// SPDX-License-Identifier: Apache-2.0
// Longest processing time first (Graham 1969): the largest object not placed yet goes where it ends
// soonest. On ranks that are alike the result is within a factor of 4/3 - 1/(3 ranks) of the
// optimum.
#include <algorithm>
#include <limits>
#include <map>

#include "common.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {
namespace {

// Up to so many different capacities, ranks are looked at class by class, which is exact; with more
// they share one heap.
constexpr std::size_t most_classes = 16;

/// The ranks of one capacity, the one that would be free first on top.
struct CapacityClass {
  double per_second;
  RankHeap heap;
};

std::vector<CapacityClass> classes_of(const LoadGraph& graph, const Machine& machine) {
  const std::vector<double> fixed = fixed_seconds(graph, machine);
  std::map<double, std::vector<RankHeap::Item>> items;
  for (std::size_t r = 0; r < fixed.size(); ++r) {
    const double per_second = capacity(machine, r);
    items[per_second].push_back({fixed[r] / per_second, static_cast<std::int32_t>(r)});
  }
  std::vector<CapacityClass> classes;
  for (auto& [per_second, ranks] : items) {
    classes.push_back({per_second, RankHeap(std::move(ranks))});
  }
  return classes;
}

Placement place_by_class(const LoadGraph& graph, std::vector<CapacityClass> classes) {
  Placement placement = graph.rank;
  for (const ObjectIndex object : movable_by_size(graph)) {
    CapacityClass* best = nullptr;
    double earliest = std::numeric_limits<double>::infinity();
    for (CapacityClass& candidate : classes) {
      const double end = candidate.heap.top().key + graph.seconds[object] / candidate.per_second;
      if (end >= earliest) continue;
      earliest = end;
      best = &candidate;
    }
    placement[object] = best->heap.top().rank;
    best->heap.change_top(earliest);
  }
  return placement;
}

/// Places objects by when a rank is free, not by when the object would end; with many objects this
/// is nearly the same.
Placement place_by_rank(const LoadGraph& graph, const Machine& machine) {
  const std::vector<double> fixed = fixed_seconds(graph, machine);
  const std::vector<double> per_second = capacities(machine);
  std::vector<RankHeap::Item> items;
  for (std::size_t r = 0; r < fixed.size(); ++r) {
    items.push_back({fixed[r] / per_second[r], static_cast<std::int32_t>(r)});
  }
  RankHeap heap(std::move(items));
  Placement placement = graph.rank;
  for (const ObjectIndex object : movable_by_size(graph)) {
    const auto [free_at, rank] = heap.top();
    placement[object] = rank;
    heap.change_top(free_at + graph.seconds[object] / per_second[static_cast<std::size_t>(rank)]);
  }
  return placement;
}

class Greedy final : public Strategy {
 public:
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    auto classes = classes_of(graph, machine);
    Placement placement = classes.size() <= most_classes ? place_by_class(graph, std::move(classes))
                                                         : place_by_rank(graph, machine);
    keep_at_home(graph, machine, placement);
    return placement;
  }
};

const StrategyRegistrar greedy_registrar{
    {.name = "greedy",
     .description = "largest object first, to the rank that is free first",
     .parameters = {},
     .create = [](const plugin::Parameters&) -> std::unique_ptr<Strategy> {
       return std::make_unique<Greedy>();
     },
     .seconds_per_object = 4e-7}};

}  // namespace
}  // namespace roam::placement
