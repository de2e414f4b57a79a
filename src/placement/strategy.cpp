// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/strategy.hpp"

#include <utility>

#include "roam/core/error.hpp"
#include "strategies/memory_fit.hpp"

namespace roam::placement {

namespace {

/// What another strategy says, brought within the limit of the ranks' memory.
class WithinMemory final : public Strategy {
 public:
  explicit WithinMemory(std::unique_ptr<Strategy> strategy) : strategy_(std::move(strategy)) {}
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    return fit_memory(graph, machine, strategy_->place(graph, machine));
  }

 private:
  const std::unique_ptr<Strategy> strategy_;
};

}  // namespace

std::vector<const StrategyKind*> strategies() { return StrategyRegistrar::all(); }

std::unique_ptr<Strategy> make_strategy(const PluginChoice& choice, std::string_view origin) {
  try {
    const auto& kind = plugin::find_kind<StrategyKind>("strategy", choice.name);
    auto strategy =
        kind.create(plugin::Parameters("strategy " + kind.name, kind.parameters, choice));
    if (kind.ignores_memory) return strategy;
    return std::make_unique<WithinMemory>(std::move(strategy));
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(origin) + ": " + error.what());
  }
}

}  // namespace roam::placement
