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

/// A strategy, and the phases for which it is used.
struct PhaseStrategy {
  PluginChoice choice;  ///< the strategy with its parameters
  /// In the whole job, if one rank decides; what ranks decide together has no limit.
  std::uint64_t most_objects = std::numeric_limits<std::uint64_t>::max();
  /// Used only if in this part of the phase not even the rank with most work was working, so that
  /// ranks have waited for messages; calls between objects are counted in the phase after such a
  /// one, and the strategy is used if that is one as well. 0: always, and calls are always counted.
  double least_waits = 0;
};

/// One policy, as --roam-balancer names it. Registered by one line next to its implementation:
///
///   const PolicyRegistrar registrar{{.name = "diffusion", ...}};
struct PolicyKind {
  std::string name;                   ///< for --roam-balancer
  std::string description;            ///< one line for --roam-help
  std::vector<Parameter> parameters;  ///< the parameters allowed in NAME:key=value
  /// Makes the policy of one rank; nullptr: no balancing. The host outlives it.
  std::unique_ptr<Policy> (*create)(const Parameters& parameters, PolicyHost& host);
  /// Checks combinations of parameters that a range cannot express; throws ConfigError. Optional.
  void (*check)(const Parameters& parameters, std::int32_t ranks) = nullptr;
  /// The strategies that place the objects at the ends of phases, in programs that declare phases:
  /// the first one whose limit suffices for the job's objects is used. Empty: objects stay.
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

/// Registers a policy as long as it exists: a static constant beside the policy's implementation.
using PolicyRegistrar = plugin::Registrar<PolicyKind>;

/// The policies linked into this program, sorted by name.
[[nodiscard]] inline std::vector<const PolicyKind*> policies() { return plugin::all<PolicyKind>(); }
/// The names of these policies, for --roam-help.
[[nodiscard]] inline std::vector<std::string> policy_names() { return plugin::names<PolicyKind>(); }

/// The names allowed for --roam-balancer, of policies and strategies (see Phases), for --roam-help.
[[nodiscard]] std::vector<std::string> balancer_names();
/// True if the choice is a policy ("none" is one), false if it can only be a strategy.
[[nodiscard]] bool names_a_policy(const PluginChoice& choice);

/// The strategies used at the boundaries of phases: the chosen one itself, or those of the chosen
/// policy.
[[nodiscard]] std::vector<PhaseStrategy> phase_strategies(const PluginChoice& choice);

/// Checks a choice before the program starts. Throws ConfigError (what was given, what is allowed,
/// a suggestion) for an unknown policy, strategy or parameter and for a value out of range.
/// `ranks`, if known, bounds parameters that name a rank. `origin` starts the message
/// ("--roam-balancer").
void check_policy(const PluginChoice& choice, std::optional<std::int32_t> ranks = std::nullopt,
                  std::string_view origin = "--roam-balancer");

/// Checks --roam-phase-length (0: not given). Throws ConfigError that lists the strategies if the
/// choice is not one.
void check_phase_length(const PluginChoice& choice, double seconds,
                        std::string_view origin = "--roam-phase-length");

/// Makes the policy for one rank; nullptr for "none" and for a strategy. Throws like check_policy.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const PluginChoice& choice, PolicyHost& host);

}  // namespace roam::balance
