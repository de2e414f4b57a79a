// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/registry.hpp"

#include <algorithm>

#include "roam/core/error.hpp"
#include "roam/core/suggest.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::balance {

namespace {

const PolicyKind& kind_of(const PluginChoice& choice) {
  return plugin::find_kind<PolicyKind>("balancing policy", choice.name);
}

plugin::Parameters parameters_of(const PolicyKind& kind, const PluginChoice& choice) {
  return {"policy " + kind.name, kind.parameters, choice};
}

plugin::Parameters parameters_of_strategy(const PluginChoice& choice) {
  const auto& kind = plugin::find_kind<placement::StrategyKind>("strategy", choice.name);
  return {"strategy " + kind.name, kind.parameters, choice};
}

}  // namespace

std::vector<const PolicyKind*> policies() { return PolicyRegistrar::all(); }

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyKind* kind : policies()) names.push_back(kind->name);
  return names;
}

std::vector<std::string> balancer_names() {
  std::vector<std::string> names = policy_names();
  for (const placement::StrategyKind* kind : placement::strategies()) {
    if (kind->name != "none") names.push_back(kind->name);
  }
  std::ranges::sort(names);
  return names;
}

bool names_a_policy(const PluginChoice& choice) {
  return std::ranges::any_of(policies(),
                             [&](const PolicyKind* kind) { return kind->name == choice.name; });
}

std::vector<PhaseStrategy> phase_strategies(const PluginChoice& choice) {
  if (names_a_policy(choice)) return kind_of(choice).at_phases;
  return {{.choice = choice}};
}

void check_policy(const PluginChoice& choice, std::optional<std::int32_t> ranks,
                  std::string_view origin) {
  try {
    if (!names_a_policy(choice)) {
      const std::vector<std::string> known = balancer_names();
      if (std::ranges::find(known, choice.name) == known.end()) {
        plugin::throw_unknown("balancer", choice.name, known);
      }
      (void)plugin::find_kind<placement::StrategyKind>("strategy", choice.name)
          .create(parameters_of_strategy(choice));
      return;
    }
    const PolicyKind& kind = kind_of(choice);
    const plugin::Parameters parameters = parameters_of(kind, choice);
    if (ranks && kind.check != nullptr) kind.check(parameters, *ranks);
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(origin) + ": " + error.what());
  }
}

void check_phase_length(const PluginChoice& choice, double seconds, std::string_view origin) {
  if (seconds <= 0 || !names_a_policy(choice)) return;
  std::vector<std::string> names;
  for (const placement::StrategyKind* kind : placement::strategies()) names.push_back(kind->name);
  throw ConfigError(std::string(origin) + ": it needs a strategy, and --roam-balancer is " +
                    choice.name + "; strategies are: " + core::join_names(names));
}

std::unique_ptr<Policy> make_policy(const PluginChoice& choice, PolicyHost& host) {
  check_policy(choice, host.size());
  if (!names_a_policy(choice)) return nullptr;
  const PolicyKind& kind = kind_of(choice);
  return kind.create(parameters_of(kind, choice), host);
}

}  // namespace roam::balance
