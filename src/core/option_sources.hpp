// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/options.hpp"

namespace roam::core {

class OptionTable;

/// Where options come from, lowest precedence first.
enum class Source : std::uint8_t { file, environment, command_line };

/// A known option with a value not yet checked.
struct Setting {
  GivenOption given;
  Source source = Source::file;
};

struct CommandLine {
  std::vector<Setting> settings;
  std::vector<std::size_t>
      rest;  // indices of the arguments that are not Roam's, a lone "--" and all after it included
  bool help = false;  // --roam-help stands somewhere; nothing else was looked at
};

/// Sorts out the arguments (without the program's name). Throws ConfigError for an unknown or
/// misspelt option of Roam's and for a missing value.
[[nodiscard]] CommandLine read_command_line(const std::vector<std::string_view>& arguments,
                                            const OptionTable& table);

/// The ROAM_ variables among "NAME=value" entries, without empty ones and those that configure
/// Roam's own build. Throws ConfigError for an unknown one.
[[nodiscard]] std::vector<Setting> settings_in_environment(std::span<const std::string> entries,
                                                           const OptionTable& table);

/// The keys of a TOML file. Throws ConfigError if it cannot be read (naming `origin`, which asked
/// for it), is not TOML, or has an unknown key or a value that is not a scalar.
[[nodiscard]] std::vector<Setting> settings_in_file(const std::string& path,
                                                    const std::string& origin,
                                                    const OptionTable& table);

}  // namespace roam::core
