// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/plugin_choice.hpp"

namespace roam::plugin {

/// A parameter of a plug-in (a policy, for example): a number within bounds, or one of several
/// words.
struct Parameter {
  std::string name;                     ///< as in NAME:name=value
  std::string description;              ///< one line for --roam-help, with the unit
  std::string default_value;            ///< in the form in which a user writes it
  double minimum = 0;                   ///< numbers only
  double maximum = 0;                   ///< numbers only
  bool is_integer = false;              ///< numbers only: a whole one
  std::vector<std::string> words = {};  ///< not empty: one of these instead of a number
  bool is_text = false;                 ///< any word; who reads it checks it
};

/// What is allowed: "a number from 0 to 1", "one of a, b".
[[nodiscard]] std::string allowed_text(const Parameter& parameter);

/// The checked parameters of a plug-in; those not given have their defaults.
class Parameters {
 public:
  /// Checks the parameters of a choice against those declared. `owner` is for messages: "policy
  /// diffusion". Throws ConfigError for an unknown name or a value out of range.
  Parameters(std::string_view owner, const std::vector<Parameter>& declared,
             const PluginChoice& choice);
  /// The value of a number. Requires that the parameter was declared.
  [[nodiscard]] double number(std::string_view name) const;
  /// The value of a whole number, likewise.
  [[nodiscard]] std::int32_t integer(std::string_view name) const;
  /// The value of a word or a text, likewise; valid as long as this object.
  [[nodiscard]] const std::string& word(std::string_view name) const;
  /// True if the user gave it, false if it has its default.
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

}  // namespace roam::plugin
