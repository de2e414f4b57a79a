// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roam::topology {

/// A value of a YAML document with its place. Keeps the YAML library out of the code that reads
/// descriptions.
struct YamlValue {
  enum class Kind : std::uint8_t { nothing, text, list, table };

  Kind kind = Kind::nothing;
  std::string key = {};    ///< in its table; empty in lists
  std::string text = {};   ///< of a text, whatever it stands for
  std::string place = {};  ///< "FILE:LINE"
  std::vector<YamlValue> children = {};

  /// The member of a table; nullptr: there is none.
  [[nodiscard]] const YamlValue* find(std::string_view member) const;
};

/// Throws ConfigError "ORIGIN:LINE: what is wrong", also for a document of more than 4 MiB, of more
/// than a million values or with more than 64 of them inside each other, and where Roam was built
/// without yaml-cpp.
[[nodiscard]] YamlValue parse_yaml(std::string_view text, const std::string& origin);

}  // namespace roam::topology
