// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/registry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "roam/core/error.hpp"
#include "roam/core/suggest.hpp"

namespace roam::balance {

namespace {

// Constant-initialised, so it is ready before the first registrar, and not written after static
// initialisation.
constinit const PolicyRegistrar* newest_registrar = nullptr;

std::string number_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string range_text(const Parameter& parameter) {
  if (!parameter.words.empty()) return "one of " + core::join_names(parameter.words);
  return (parameter.is_integer ? "a whole number from " : "a number from ") +
         number_text(parameter.minimum) + " to " + number_text(parameter.maximum);
}

double parse_number(std::string_view policy, const Parameter& parameter, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool valid = error == std::errc() && stop == end && std::isfinite(value) &&
                     value >= parameter.minimum && value <= parameter.maximum &&
                     (!parameter.is_integer || value == std::floor(value));
  if (!valid) {
    throw ConfigError("parameter " + parameter.name + " of policy " + std::string(policy) +
                      " is \"" + text + "\"; allowed is " + range_text(parameter));
  }
  return value;
}

const PolicyKind& find_kind(const PluginChoice& choice) {
  const auto kinds = policies();
  for (const PolicyKind* kind : kinds) {
    if (kind->name == choice.name) return *kind;
  }
  const auto names = policy_names();
  throw ConfigError("there is no balancing policy \"" + choice.name + "\"; known are: " +
                    core::join_names(names) + core::did_you_mean(choice.name, names));
}

}  // namespace

Parameters::Parameters(std::string_view policy, const std::vector<Parameter>& declared,
                       const PluginChoice& choice) {
  std::vector<std::string> names;
  for (const Parameter& parameter : declared) names.push_back(parameter.name);
  for (const auto& [name, text] : choice.parameters) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw ConfigError("policy " + std::string(policy) + " has no parameter \"" + name + "\"; " +
                      (names.empty() ? "it has none" : "it has: " + core::join_names(names)) +
                      core::did_you_mean(name, names));
  }
  for (const Parameter& parameter : declared) {
    Value value{parameter.name, parameter.default_value, 0, false};
    for (const auto& [name, text] : choice.parameters) {
      if (name == parameter.name) value.word = text, value.given = true;
    }
    if (parameter.words.empty()) {
      value.number = parse_number(policy, parameter, value.word);
    } else if (std::ranges::find(parameter.words, value.word) == parameter.words.end()) {
      throw ConfigError("parameter " + parameter.name + " of policy " + std::string(policy) +
                        " is \"" + value.word + "\"; allowed is " + range_text(parameter) +
                        core::did_you_mean(value.word, parameter.words));
    }
    values_.push_back(std::move(value));
  }
}

const Parameters::Value& Parameters::find(std::string_view name) const {
  for (const Value& value : values_) {
    if (value.name == name) return value;
  }
  throw Error("policy parameter " + std::string(name) + " was not declared");
}

double Parameters::number(std::string_view name) const { return find(name).number; }
std::int32_t Parameters::integer(std::string_view name) const {
  return static_cast<std::int32_t>(find(name).number);
}
const std::string& Parameters::word(std::string_view name) const { return find(name).word; }
bool Parameters::is_given(std::string_view name) const { return find(name).given; }

PolicyRegistrar::PolicyRegistrar(PolicyKind kind)
    : kind_(std::move(kind)), next_(newest_registrar) {
  newest_registrar = this;
}

std::vector<const PolicyKind*> policies() {
  std::vector<const PolicyKind*> kinds;
  for (const PolicyRegistrar* r = newest_registrar; r != nullptr; r = r->next()) {
    kinds.push_back(&r->kind());
  }
  std::ranges::sort(kinds, {}, [](const PolicyKind* kind) { return std::string_view(kind->name); });
  return kinds;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyKind* kind : policies()) names.push_back(kind->name);
  return names;
}

void check_policy(const PluginChoice& choice, std::optional<std::int32_t> ranks,
                  std::string_view origin) {
  try {
    const PolicyKind& kind = find_kind(choice);
    const Parameters parameters(kind.name, kind.parameters, choice);
    if (ranks && kind.check != nullptr) kind.check(parameters, *ranks);
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(origin) + ": " + error.what());
  }
}

std::unique_ptr<Policy> make_policy(const PluginChoice& choice, PolicyHost& host) {
  check_policy(choice, host.size());
  const PolicyKind& kind = find_kind(choice);
  return kind.create(Parameters(kind.name, kind.parameters, choice), host);
}

}  // namespace roam::balance
