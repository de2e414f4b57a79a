// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roam/core/detail/take_options.hpp"

namespace roam::core {

/// The options of some groups, found by their names, with those that every program has:
/// --roam-config and --roam-help. Values from the command line, the environment and files all pass
/// through set_option().
class OptionTable {
 public:
  struct Entry {
    std::string prefix;
    std::string name;                       // without prefix
    const AnyOptionGroup* group = nullptr;  // nullptr: config, help, version
    const Option* option = nullptr;

    [[nodiscard]] std::string flag() const { return "--" + prefix + "-" + name; }
    [[nodiscard]] std::string given_name() const {
      return group == nullptr ? name : group->given_name(*option);
    }
    [[nodiscard]] bool is_flag() const { return option != nullptr && option->value_name.empty(); }
    [[nodiscard]] bool is_config() const { return group == nullptr && name == "config"; }
    /// True for --roam-help and --roam-version, which can be given on the command line alone.
    [[nodiscard]] bool is_question() const {
      return group == nullptr && (name == "help" || name == "version");
    }
  };

  explicit OptionTable(const OptionGroups& groups);

  /// All options, in the order of the help text.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<std::string>& prefixes() const { return prefixes_; }
  /// The names of the options of a prefix, without it.
  [[nodiscard]] std::vector<std::string> names(std::string_view prefix) const;
  /// The option of this name; nullptr if there is none.
  [[nodiscard]] const Entry* find(std::string_view prefix, std::string_view name) const;

 private:
  std::vector<Entry> entries_;
  std::vector<std::string> prefixes_;  // "roam" first
};

/// The topic by which --roam-version asks options_help() for the version.
inline constexpr std::string_view version_topic = "--roam-version";

/// Checks a value and stores it. Throws ConfigError naming the value, its origin and what is
/// allowed.
void set_option(const OptionTable::Entry& entry, const OptionSetting& setting,
                OptionValues& values);

}  // namespace roam::core
