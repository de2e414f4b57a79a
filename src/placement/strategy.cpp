// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/strategy.hpp"

#include <utility>

#include "strategies/memory_fit.hpp"

namespace roam::placement {

namespace {

/// Runs another strategy and corrects its placement to respect the ranks' memory limit.
class WithinMemory final : public Strategy {
 public:
  explicit WithinMemory(std::unique_ptr<Strategy> strategy) : strategy_(std::move(strategy)) {}
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    return fit_memory(graph, machine, strategy_->place(graph, machine));
  }
  // In running jobs, for which this is, graphs have no memory limits.
  [[nodiscard]] const PartedStrategy* parted() const override { return strategy_->parted(); }

 private:
  const std::unique_ptr<Strategy> strategy_;
};

}  // namespace

std::unique_ptr<Strategy> make_strategy(const PluginChoice& choice, std::string_view origin) {
  auto strategy = plugin::make<StrategyKind>(choice, origin);
  if (plugin::require<StrategyKind>(choice.name).ignores_memory) return strategy;
  return std::make_unique<WithinMemory>(std::move(strategy));
}

}  // namespace roam::placement
