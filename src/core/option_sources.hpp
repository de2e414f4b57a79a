// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "option_table.hpp"

namespace roam::core {

/// A known option with a value that has not been checked.
struct ReadOption {
  const OptionTable::Entry* entry = nullptr;
  OptionSetting setting;
};

struct CommandLine {
  std::vector<ReadOption> options;
  /// Indices of the arguments that are left for the program, including a lone "--" and all after
  /// it.
  std::vector<std::size_t> rest;
  bool help = false;  // --roam-help stands somewhere; nothing else was looked at
  std::string help_topic;
};

/// Sorts out the arguments (without the program's name). Throws ConfigError for an unknown or
/// misspelt option and for a missing value.
[[nodiscard]] CommandLine read_command_line(const std::vector<std::string_view>& arguments,
                                            const OptionTable& table);

/// The variables among "NAME=value" entries that are options, without empty ones. Throws
/// ConfigError for an unknown one that begins with ROAM_ and is none of an installation's or of
/// Roam's own build; and for one that begins with another prefix and resembles an option.
[[nodiscard]] std::vector<ReadOption> options_in_environment(std::span<const std::string> entries,
                                                             const OptionTable& table);

/// The keys of a TOML file, and those of its tables named after prefixes. Throws ConfigError if it
/// cannot be read (naming `origin`, which asked for it), is not TOML, or has an unknown key or a
/// value that is not a scalar.
[[nodiscard]] std::vector<ReadOption> options_in_file(const std::string& path,
                                                      const std::string& origin,
                                                      const OptionTable& table);

/// The name of the environment variable of an option: HEAT_CELL_SIZE.
[[nodiscard]] std::string variable_name(std::string_view prefix, std::string_view option);
/// The key of an option in a file: cell_size.
[[nodiscard]] std::string key_name(std::string_view option);

}  // namespace roam::core
