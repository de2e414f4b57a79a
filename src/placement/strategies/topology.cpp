// SPDX-License-Identifier: Apache-2.0
// Takes into account where the ranks are in the machine (place_by_topology). In large running jobs,
// groups of ranks that are near each other decide together, and no rank sees all objects.
#include <utility>

#include "../steps/topology_steps.hpp"
#include "roam/placement/strategy.hpp"
#include "topology_place.hpp"

namespace roam::placement {
namespace {

// Measured where loads are uneven, on LeanMD with a gradient (docs/design/placement.md); where they
// are even, bench_starts shows about half of it.
constexpr double seconds_per_object = 1.3e-6;
constexpr double seconds_per_link = 10e-6;

class Topology final : public Strategy {
 public:
  explicit Topology(double imbalance) : imbalance_(imbalance) {}

  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    return place_by_topology(graph, machine, {.imbalance = imbalance_});
  }

 private:
  const double imbalance_;
};

const StrategyRegistrar topology_registrar{
    {.name = "topology",
     .description = "maps objects to the tree of the machine: those that communicate sit together",
     .parameters = {{"imbalance", "allowed max / mean - 1 of the ranks' loads", "0.01", 0, 10},
                    {"group_ranks", "most ranks that one rank decides for in a running job", "256",
                     1, 1e6, true}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<Strategy> {
       return std::make_unique<Topology>(parameters.number("imbalance"));
     },
     .distribute = [](const plugin::Parameters& parameters,
                      RankShare share) -> std::unique_ptr<DistributedStrategy> {
       return make_topology_steps({.most_ranks = parameters.integer("group_ranks"),
                                   .imbalance = parameters.number("imbalance"),
                                   .seconds_per_object = seconds_per_object,
                                   .seconds_per_link = seconds_per_link},
                                  std::move(share));
     },
     .least_ranks_to_distribute =
         [](const plugin::Parameters& parameters) { return parameters.integer("group_ranks") + 1; },
     .seconds_per_object = seconds_per_object,
     .seconds_per_link = seconds_per_link,
     .uses_links = true,
     .gains_by_communication = true}};

}  // namespace
}  // namespace roam::placement
