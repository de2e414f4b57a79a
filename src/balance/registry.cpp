// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/registry.hpp"

#include <algorithm>

#include "roam/core/detail/suggest.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::balance {

std::vector<std::string> balancer_names() {
  std::vector<std::string> names = policy_names();
  for (const placement::StrategyKind* kind : placement::strategies()) {
    if (kind->name != "none") names.push_back(kind->name);
  }
  std::ranges::sort(names);
  return names;
}

bool names_a_policy(const PluginChoice& choice) {
  return plugin::find<PolicyKind>(choice.name) != nullptr;
}

std::vector<PhaseStrategy> phase_strategies(const PluginChoice& choice) {
  if (const PolicyKind* const kind = plugin::find<PolicyKind>(choice.name)) return kind->at_phases;
  return {{.choice = choice}};
}

void check_policy(const PluginChoice& choice, std::optional<std::int32_t> ranks,
                  std::string_view origin) {
  plugin::blaming(origin, [&] {
    const PolicyKind* const kind = plugin::find<PolicyKind>(choice.name);
    if (kind != nullptr) {
      const Parameters parameters = plugin::parameters_of(*kind, choice);
      if (ranks && kind->check != nullptr) kind->check(parameters, *ranks);
      return;
    }
    const auto* const strategy = plugin::find<placement::StrategyKind>(choice.name);
    if (strategy == nullptr) plugin::throw_unknown("balancer", choice.name, balancer_names());
    (void)strategy->create(plugin::parameters_of(*strategy, choice));
  });
}

void check_phase_length(const PluginChoice& choice, double seconds, std::string_view origin) {
  if (seconds <= 0 || !names_a_policy(choice)) return;
  throw ConfigError(
      std::string(origin) + ": it needs a strategy, and --roam-balancer is " + choice.name +
      "; strategies are: " + core::join_names(plugin::names<placement::StrategyKind>()));
}

std::unique_ptr<Policy> make_policy(const PluginChoice& choice, PolicyHost& host) {
  check_policy(choice, host.size());
  const PolicyKind* const kind = plugin::find<PolicyKind>(choice.name);
  return kind == nullptr ? nullptr : kind->create(plugin::parameters_of(*kind, choice), host);
}

}  // namespace roam::balance
