// SPDX-License-Identifier: Apache-2.0
// The strategy that needs no rank to know the loads of all (GrapevineLB; DARMA's DistributedLB,
// vt's TemperedLB).
#include "../steps/gossip_steps.hpp"
#include "roam/placement/detail/place_in_steps.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {
namespace {

GossipSettings gossip_settings(const plugin::Parameters& parameters) {
  return {.iterations = parameters.integer("iterations"),
          .rounds = parameters.integer("rounds"),
          .fanout = parameters.integer("fanout"),
          .known = parameters.integer("known"),
          .imbalance = parameters.number("imbalance")};
}

/// Computes the placement that the ranks would agree on.
class Gossip final : public Strategy {
 public:
  explicit Gossip(const GossipSettings& settings) : settings_(settings) {}
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    return place_in_steps(graph, machine, 1, [this](RankShare share) {
      return make_gossip_steps(settings_, std::move(share));
    });
  }

 private:
  const GossipSettings settings_;
};

const StrategyRegistrar gossip_registrar{
    {.name = "gossip",
     .description = "ranks hear by rumours who has room, and offer objects by chance",
     .parameters = {{"iterations", "of rumours and offers", "8", 1, 1000, true},
                    {"rounds", "in which rumours spread, per iteration", "4", 1, 100, true},
                    {"fanout", "ranks told in a round", "3", 1, 1000, true},
                    {"known", "ranks that a rank remembers", "64", 1, 1e6, true},
                    {"imbalance", "aim for max / mean - 1", "0.05", 0, 1e6}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<Strategy> {
       return std::make_unique<Gossip>(gossip_settings(parameters));
     },
     .distribute =
         [](const plugin::Parameters& parameters, RankShare share) {
           return make_gossip_steps(gossip_settings(parameters), std::move(share));
         }}};

}  // namespace
}  // namespace roam::placement
