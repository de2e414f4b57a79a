// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roam::topology {

/// A value of a YAML document with its place. It separates the YAML library from the code that
/// reads descriptions.
struct YamlValue {
  enum class Kind : std::uint8_t { nothing, text, list, table };

  Kind kind = Kind::nothing;
  std::string key = {};    ///< the key in its table; empty in lists
  std::string text = {};   ///< the text, whatever it stands for
  std::string place = {};  ///< "FILE:LINE"
  std::vector<YamlValue> children = {};

  /// The member of a table; nullptr if there is none.
  [[nodiscard]] const YamlValue* find(std::string_view member) const;
};

/// Reads a document. Throws ConfigError "ORIGIN:LINE: what is wrong", also for a document of more
/// than 4 MiB, with more than a million values or with more than 64 of them nested, and if Roam was
/// built without yaml-cpp.
[[nodiscard]] YamlValue parse_yaml(std::string_view text, const std::string& origin);

}  // namespace roam::topology
