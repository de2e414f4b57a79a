// SPDX-License-Identifier: Apache-2.0
// Strategies that ignore loads: a baseline for the others.
#include "roam/core/random.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {
namespace {

class NoStrategy final : public Strategy {
 public:
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine&) const override {
    return graph.rank;
  }
};

/// Moves every object to the next rank: measures the cost of moving everything, and tests that
/// objects can be moved.
class Rotate final : public Strategy {
 public:
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    Placement placement = graph.rank;
    for (std::size_t i = 0; i < placement.size(); ++i) {
      if (!graph.is_pinned(i)) placement[i] = (placement[i] + 1) % machine.ranks;
    }
    return placement;
  }
};

class RandomPlacement final : public Strategy {
 public:
  explicit RandomPlacement(std::uint64_t seed) : seed_(seed) {}
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    core::Random random(seed_);
    Placement placement = graph.rank;
    for (std::size_t i = 0; i < placement.size(); ++i) {
      if (graph.is_pinned(i)) continue;
      placement[i] =
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(machine.ranks)));
    }
    return placement;
  }

 private:
  const std::uint64_t seed_;
};

const StrategyRegistrar none_registrar{
    {.name = "none",
     .description = "objects stay where they are",
     .parameters = {},
     .create = [](const plugin::Parameters&) -> std::unique_ptr<Strategy> {
       return std::make_unique<NoStrategy>();
     },
     .seconds_per_object = 0,
     .ignores_memory = true}};

const StrategyRegistrar rotate_registrar{
    {.name = "rotate",
     .description = "every object to the next rank",
     .parameters = {},
     .create = [](const plugin::Parameters&) -> std::unique_ptr<Strategy> {
       return std::make_unique<Rotate>();
     },
     .seconds_per_object = 2e-9,
     .moves_without_gain = true,
     .ignores_memory = true}};

const StrategyRegistrar random_registrar{
    {.name = "random",
     .description = "every object to a random rank",
     .parameters = {{"seed", "of the random numbers", "1", 0, 9007199254740992.0, true}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<Strategy> {
       return std::make_unique<RandomPlacement>(
           static_cast<std::uint64_t>(parameters.number("seed")));
     },
     .seconds_per_object = 5e-9,
     .moves_without_gain = true,
     .ignores_memory = true}};

}  // namespace
}  // namespace roam::placement
