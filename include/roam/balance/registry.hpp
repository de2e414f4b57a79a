// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roam/balance/policy.hpp"
#include "roam/core/plugin/registrar.hpp"
#include "roam/core/plugin_choice.hpp"

namespace roam::balance {

// As policies and load models of programs know them.
using plugin::Parameter;
using plugin::Parameters;

/// A strategy for jobs of at most so many objects.
struct PhaseStrategy {
  PluginChoice choice;  ///< the strategy with its parameters
  std::uint64_t most_objects = std::numeric_limits<std::uint64_t>::max();  ///< in the whole job
};

/// One policy, as --roam-balancer names it. Registered by one line next to its implementation:
///
///   const PolicyRegistrar registrar{{.name = "diffusion", ...}};
struct PolicyKind {
  std::string name;                   ///< for --roam-balancer
  std::string description;            ///< one line for --roam-help
  std::vector<Parameter> parameters;  ///< of NAME:key=value
  /// The policy of one rank; nullptr: no balancing. The host outlives it.
  std::unique_ptr<Policy> (*create)(const Parameters& parameters, PolicyHost& host);
  /// Checks what a parameter on its own cannot say; throws ConfigError. Optional.
  void (*check)(const Parameters& parameters, std::int32_t ranks) = nullptr;
  /// The strategies that place the objects at the ends of phases, for programs that declare them:
  /// the first that is for jobs of that size is used. None: objects stay.
  std::vector<PhaseStrategy> at_phases = {};
};

}  // namespace roam::balance

template <>
struct roam::plugin::Family<roam::balance::PolicyKind> {
  static constexpr const char* name = "policy";
  static constexpr std::uint32_t interface = 1;
  static constexpr std::uint64_t layout =
      layout_of<balance::PolicyKind, balance::RankLoad, balance::ObjectLoad, balance::Decision,
                mobile::Record>();
};

namespace roam::balance {

/// Registers a policy by living, as a static constant beside its implementation.
using PolicyRegistrar = plugin::Registrar<PolicyKind>;

/// The policies linked into this program, sorted by name.
[[nodiscard]] inline std::vector<const PolicyKind*> policies() { return plugin::all<PolicyKind>(); }
/// The names of these policies, for --roam-help.
[[nodiscard]] inline std::vector<std::string> policy_names() { return plugin::names<PolicyKind>(); }

/// What --roam-balancer understands: policies and strategies (see Phases), for --roam-help.
[[nodiscard]] std::vector<std::string> balancer_names();
/// True if it is a policy that is chosen ("none" is one), false if it can only be a strategy.
[[nodiscard]] bool names_a_policy(const PluginChoice& choice);

/// What places objects at the boundaries of phases: a strategy itself, or those of a policy.
[[nodiscard]] std::vector<PhaseStrategy> phase_strategies(const PluginChoice& choice);

/// Checks a choice before the program starts. Throws ConfigError (what was given, what is allowed,
/// a suggestion) for an unknown policy, strategy or parameter and for a value out of range.
/// `ranks`, if known, bounds parameters that name a rank. `origin` starts the message
/// ("--roam-balancer").
void check_policy(const PluginChoice& choice, std::optional<std::int32_t> ranks = std::nullopt,
                  std::string_view origin = "--roam-balancer");

/// Checks --roam-phase-length, 0: not given. Throws ConfigError that lists the strategies if the
/// choice is none.
void check_phase_length(const PluginChoice& choice, double seconds,
                        std::string_view origin = "--roam-phase-length");

/// The policy for one rank; nullptr for "none" and for a strategy. Throws like check_policy.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const PluginChoice& choice, PolicyHost& host);

}  // namespace roam::balance
