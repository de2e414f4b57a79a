// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/strategy.hpp"

#include "roam/core/error.hpp"

namespace roam::balance {

std::vector<const StrategyKind*> strategies() { return StrategyRegistrar::all(); }

std::unique_ptr<Strategy> make_strategy(const PluginChoice& choice, std::string_view origin) {
  try {
    const auto& kind = find_kind<StrategyKind>("strategy", choice.name);
    return kind.create(Parameters("strategy " + kind.name, kind.parameters, choice));
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(origin) + ": " + error.what());
  }
}

}  // namespace roam::balance
