// SPDX-License-Identifier: Apache-2.0
// Strategies for large machines, where no rank should have to look at all objects: groups of ranks
// first balance among each other, then each by itself (the HierarchicalLB and HybridLB that the
// DARMA study compares).
#include <algorithm>
#include <string>

#include "../steps/group_steps.hpp"
#include "groups.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {
namespace {

/// Balances down a tree over the ranks: at every node, from the root to the ranks, its parts
/// exchange what makes them equal.
class Hierarchical final : public Strategy {
 public:
  Hierarchical(std::int32_t arity, const RefineSettings& refining)
      : arity_(arity), refining_(refining) {}

  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    if (machine.ranks <= arity_) return refine(graph, machine, refining_);
    std::int32_t part = 1;  // ranks of one of the root's parts; the tree below it is complete
    while (static_cast<std::int64_t>(part) * arity_ < machine.ranks) part *= arity_;
    return place_in_groups(
        graph, machine, part, refining_,
        [this](const LoadGraph& inner, const Machine& ranks) { return place(inner, ranks); });
  }

 private:
  const std::int32_t arity_;
  const RefineSettings refining_;
};

// The part of its group's mean by which a rank may exceed it.
constexpr double inner_imbalance = 0.01;

/// A group has fewer sizes of objects to choose from than the whole; exchanges afterwards make up
/// for that.
Placement place_inside(const Strategy& strategy, const LoadGraph& graph, const Machine& machine) {
  LoadGraph placed = graph;
  placed.rank = strategy.place(graph, machine);
  return refine(placed, machine, {.imbalance = inner_imbalance, .attempts = 1});
}

std::unique_ptr<Strategy> inside_of(const plugin::Parameters& parameters) {
  return make_strategy({parameters.word("inside"), {}}, "parameter inside of strategy hybrid");
}

/// Balances between groups of ranks, then by any strategy inside each.
class Hybrid final : public Strategy {
 public:
  Hybrid(std::int32_t group_ranks, const RefineSettings& between, std::unique_ptr<Strategy> inside)
      : group_ranks_(group_ranks), between_(between), inside_(std::move(inside)) {}

  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    return place_in_groups(graph, machine, group_ranks_, between_,
                           [this](const LoadGraph& inner, const Machine& ranks) {
                             return place_inside(*inside_, inner, ranks);
                           });
  }

 private:
  const std::int32_t group_ranks_;
  const RefineSettings between_;
  const std::unique_ptr<Strategy> inside_;
};

const StrategyRegistrar hierarchical_registrar{
    {.name = "hierarchical",
     .description = "down a tree of ranks, the parts of each node exchange work",
     .parameters = {{"arity", "parts of a node of the tree", "32", 2, 1e6, true},
                    {"imbalance", "aim for max / mean - 1 at every node", "0.005", 0, 1e6}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<Strategy> {
       return std::make_unique<Hierarchical>(
           parameters.integer("arity"),
           RefineSettings{.imbalance = parameters.number("imbalance"), .attempts = 1});
     },
     .distribute = [](const plugin::Parameters& parameters,
                      RankShare share) -> std::unique_ptr<DistributedStrategy> {
       GroupSettings settings;
       settings.group_ranks = settings.arity = parameters.integer("arity");
       settings.imbalance = parameters.number("imbalance");
       const RefineSettings refining{.imbalance = settings.imbalance, .attempts = 1};
       settings.inside = [refining](const LoadGraph& graph, const Machine& machine) {
         return refine(graph, machine, refining);
       };
       return make_group_steps(std::move(settings), std::move(share));
     }}};

const StrategyRegistrar hybrid_registrar{
    {.name = "hybrid",
     .description = "groups of ranks exchange work, then another strategy inside each group",
     .parameters = {{"group_ranks", "consecutive ranks of a group", "512", 1, 1e6, true},
                    {"imbalance", "aim for max / mean - 1 of the groups", "0.001", 0, 1e6},
                    {.name = "inside",
                     .description = "the strategy inside a group",
                     .default_value = "greedy",
                     .is_text = true}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<Strategy> {
       const std::string& inside = parameters.word("inside");
       if (inside == "hybrid") {
         throw ConfigError(
             "parameter inside of strategy hybrid is \"hybrid\"; allowed is any "
             "other strategy");
       }
       return std::make_unique<Hybrid>(
           parameters.integer("group_ranks"),
           RefineSettings{.imbalance = parameters.number("imbalance"), .attempts = 1},
           inside_of(parameters));
     },
     .distribute = [](const plugin::Parameters& parameters,
                      RankShare share) -> std::unique_ptr<DistributedStrategy> {
       GroupSettings settings;
       settings.group_ranks = parameters.integer("group_ranks");
       settings.imbalance = parameters.number("imbalance");
       settings.inside = [parameters](const LoadGraph& graph, const Machine& machine) {
         return place_inside(*inside_of(parameters), graph, machine);
       };
       return make_group_steps(std::move(settings), std::move(share));
     }}};

}  // namespace
}  // namespace roam::placement
