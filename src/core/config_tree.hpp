// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/detail/text.hpp"

namespace roam::core {

/// A value of a TOML file with its place, so that later checks can point at it. It separates the
/// TOML library from the code that reads options and machines.
struct ConfigNode {
  enum class Kind : std::uint8_t { boolean, integer, number, string, array, table, other };

  Kind kind = Kind::table;
  std::string key;      // the key in its table; empty in arrays
  std::string text;     // scalars: the value as text, strings without quotes
  double number = 0.0;  // integer, number
  std::int64_t integer = 0;
  std::string key_place;             // "file:line:column" of the key
  std::string value_place;           // "file:line:column" of the value
  std::vector<ConfigNode> children;  // table: members in file order; array: elements

  [[nodiscard]] bool is_scalar() const { return kind < Kind::array; }
  [[nodiscard]] bool is_numeric() const { return kind == Kind::integer || kind == Kind::number; }
};

/// What a node is, for messages "found ...": "the string \"x\"", "a table".
[[nodiscard]] std::string describe(const ConfigNode& node);

/// Parses TOML text; throws ConfigError "file:line:column: ..." for a syntax error.
[[nodiscard]] ConfigNode parse_toml(std::string_view text, const std::string& file);

}  // namespace roam::core
