// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roam/balance/policy.hpp"
#include "roam/core/options.hpp"

namespace roam::balance {

/// A parameter of a policy: a number within bounds, or one of several words.
struct Parameter {
  std::string name;
  std::string description;  ///< one line for --roam-help, with the unit
  std::string default_value;
  double minimum = 0;  ///< numbers only
  double maximum = 0;
  bool is_integer = false;
  std::vector<std::string> words = {};  ///< not empty: one of these instead of a number
};

/// The checked parameters of a policy; those not given have their defaults.
class Parameters {
 public:
  /// Throws ConfigError for an unknown name or a value out of range.
  Parameters(std::string_view policy, const std::vector<Parameter>& declared,
             const PluginChoice& choice);
  /// Requires that the parameter was declared.
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] std::int32_t integer(std::string_view name) const;
  [[nodiscard]] const std::string& word(std::string_view name) const;
  [[nodiscard]] bool is_given(std::string_view name) const;

 private:
  struct Value {
    std::string name;
    std::string word;
    double number = 0;
    bool given = false;
  };
  [[nodiscard]] const Value& find(std::string_view name) const;
  std::vector<Value> values_;
};

/// One policy, as --roam-balancer names it. Registered by one line next to its implementation:
///   const PolicyRegistrar registrar{{.name = "diffusion", ...}};
struct PolicyKind {
  std::string name;
  std::string description;  ///< one line for --roam-help
  std::vector<Parameter> parameters;
  /// The policy of one rank; nullptr: no balancing. The host outlives it.
  std::unique_ptr<Policy> (*create)(const Parameters& parameters, PolicyHost& host);
  /// What a parameter on its own cannot say; throws ConfigError. Optional.
  void (*check)(const Parameters& parameters, std::int32_t ranks) = nullptr;
};

/// Adds a kind to the registry by living: constructed during static initialisation, linked into an
/// intrusive list that only registrars write, never changed after main() begins.
class PolicyRegistrar {
 public:
  explicit PolicyRegistrar(PolicyKind kind);
  PolicyRegistrar(const PolicyRegistrar&) = delete;
  PolicyRegistrar& operator=(const PolicyRegistrar&) = delete;
  [[nodiscard]] const PolicyKind& kind() const { return kind_; }
  [[nodiscard]] const PolicyRegistrar* next() const { return next_; }

 private:
  PolicyKind kind_;
  const PolicyRegistrar* next_;
};

/// The policies linked into this program, sorted by name.
[[nodiscard]] std::vector<const PolicyKind*> policies();
/// Their names, for --roam-help.
[[nodiscard]] std::vector<std::string> policy_names();

/// Checks a choice before the program starts. Throws ConfigError (what was given, what is allowed,
/// a suggestion) for an unknown policy or parameter and for a value out of range. `ranks`, if
/// known, bounds parameters that name a rank. `origin` starts the message ("--roam-balancer").
void check_policy(const PluginChoice& choice, std::optional<std::int32_t> ranks = std::nullopt,
                  std::string_view origin = "--roam-balancer");

/// The policy for one rank; nullptr for "none". Throws like check_policy.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const PluginChoice& choice, PolicyHost& host);

}  // namespace roam::balance
