// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roam {

/// A plug-in and its parameters as written, NAME[:key=value,...]. The room that owns the plug-in
/// validates them.
struct PluginChoice {
  std::string name;  ///< or the path of a shared library that brings the plug-in
  std::vector<std::pair<std::string, std::string>>
      parameters;  ///< keys are unique; in the order given

  /// True if the name is a path: as in a shell, if it has a slash.
  [[nodiscard]] bool is_path() const { return name.find('/') != std::string::npos; }
};

/// Reads NAME[:key=value,...] or PATH[:key=value,...]; a path has a slash, but no colon. Throws
/// ConfigError saying what is wrong with the form.
[[nodiscard]] PluginChoice parse_plugin_choice(std::string_view text);

/// Reads a stack of choices, CHOICE[+CHOICE...]. A plus separates choices only before a letter, '.'
/// or '/', with which names and paths begin (1e+5 is a value); so no path may have such a plus
/// inside. Throws ConfigError likewise.
[[nodiscard]] std::vector<PluginChoice> parse_plugin_stack(std::string_view text);

/// A choice as it is written on the command line.
[[nodiscard]] std::string to_string(const PluginChoice& choice);
[[nodiscard]] std::string to_string(const std::vector<PluginChoice>& stack);

}  // namespace roam
