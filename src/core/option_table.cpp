// SPDX-License-Identifier: Apache-2.0
#include "option_table.hpp"

#include <algorithm>

#include "roam/core/error.hpp"

namespace roam::core {

OptionTable::OptionTable(const OptionGroups& groups) : prefixes_{"roam"} {
  for (const AnyOptionGroup* group : groups) {
    const std::string& prefix = group->heading().prefix;
    for (const Option& option : group->options())
      entries_.push_back({prefix, option.name, group, &option});
    if (std::ranges::find(prefixes_, prefix) == prefixes_.end()) prefixes_.push_back(prefix);
  }
  entries_.push_back({"roam", "config"});
  entries_.push_back({"roam", "help"});
  entries_.push_back({"roam", "version"});
}

std::vector<std::string> OptionTable::names(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    if (entry.prefix == prefix) names.push_back(entry.name);
  }
  return names;
}

const OptionTable::Entry* OptionTable::find(std::string_view prefix, std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.prefix == prefix && entry.name == name) return &entry;
  }
  return nullptr;
}

void set_option(const OptionTable::Entry& entry, const OptionSetting& setting,
                OptionValues& values) {
  std::string text = setting.given.value;
  const std::string reason =
      entry.option == nullptr ? not_empty("the name of a file")(text) : entry.option->check(text);
  if (!reason.empty()) {
    throw ConfigError(setting.given.origin + ": bad value \"" + setting.given.value + "\"; " +
                      reason);
  }
  if (entry.option != nullptr) entry.option->store(entry.group->edit(values), text);
}

}  // namespace roam::core
