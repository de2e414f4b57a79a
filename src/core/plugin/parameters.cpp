// SPDX-License-Identifier: Apache-2.0
#include "roam/core/plugin/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "roam/core/detail/suggest.hpp"
#include "roam/core/error.hpp"

namespace roam::plugin {

namespace {

std::string number_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

double parse_number(std::string_view owner, const Parameter& parameter, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool valid = error == std::errc() && stop == end && std::isfinite(value) &&
                     value >= parameter.minimum && value <= parameter.maximum &&
                     (!parameter.is_integer || value == std::floor(value));
  if (!valid) {
    throw ConfigError("parameter " + parameter.name + " of " + std::string(owner) + " is \"" +
                      text + "\"; allowed is " + allowed_text(parameter));
  }
  return value;
}

}  // namespace

std::string allowed_text(const Parameter& parameter) {
  if (parameter.is_text) return "any word";
  if (!parameter.words.empty()) return "one of " + core::join_names(parameter.words);
  return (parameter.is_integer ? "a whole number from " : "a number from ") +
         number_text(parameter.minimum) + " to " + number_text(parameter.maximum);
}

Parameters::Parameters(std::string_view owner, const std::vector<Parameter>& declared,
                       const PluginChoice& choice) {
  std::vector<std::string> names;
  for (const Parameter& parameter : declared) names.push_back(parameter.name);
  for (const auto& [name, text] : choice.parameters) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw ConfigError(std::string(owner) + " has no parameter \"" + name + "\"; " +
                      (names.empty() ? "it has none" : "it has: " + core::join_names(names)) +
                      core::did_you_mean(name, names));
  }
  for (const Parameter& parameter : declared) {
    Value value{parameter.name, parameter.default_value, 0, false};
    for (const auto& [name, text] : choice.parameters) {
      if (name == parameter.name) value.word = text, value.given = true;
    }
    if (parameter.is_text) {
      // A text is taken as it is.
    } else if (parameter.words.empty()) {
      value.number = parse_number(owner, parameter, value.word);
    } else if (std::ranges::find(parameter.words, value.word) == parameter.words.end()) {
      throw ConfigError("parameter " + parameter.name + " of " + std::string(owner) + " is \"" +
                        value.word + "\"; allowed is " + allowed_text(parameter) +
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

}  // namespace roam::plugin
