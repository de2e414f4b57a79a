// SPDX-License-Identifier: Apache-2.0
#include "roam/core/option_group.hpp"

#include <algorithm>
#include <tuple>

namespace roam::core {

namespace {

// Initialised at compile time, so that it is ready before the first group; not written after static
// initialisation.
constinit const AnyOptionGroup* newest_group = nullptr;

}  // namespace

const OptionSetting* OptionSettings::in_force(std::string_view name) const {
  for (auto it = settings_.rbegin(); it != settings_.rend(); ++it) {
    if (it->given.name == name) return &*it;
  }
  return nullptr;
}

std::string OptionSettings::origin(std::string_view name) const {
  const OptionSetting* const setting = in_force(name);
  return setting == nullptr ? "default" : setting->given.origin;
}

AnyOptionGroup::AnyOptionGroup(OptionHeading heading, bool is_registered)
    : heading_(std::move(heading)) {
  if (is_registered) next_ = std::exchange(newest_group, this);
}

Option& AnyOptionGroup::add(Option option) { return options_.emplace_back(std::move(option)); }

std::string AnyOptionGroup::flag(const Option& option) const {
  return "--" + heading_.prefix + "-" + option.name;
}

std::string AnyOptionGroup::given_name(const Option& option) const {
  return heading_.prefix == "roam" ? option.name : heading_.prefix + "-" + option.name;
}

std::vector<const AnyOptionGroup*> AnyOptionGroup::all() {
  std::vector<const AnyOptionGroup*> groups;
  for (const AnyOptionGroup* one = newest_group; one != nullptr; one = one->next_)
    groups.push_back(one);
  std::ranges::sort(groups, {}, [](const AnyOptionGroup* group) {
    const OptionHeading& heading = group->heading();
    return std::tuple(heading.prefix != "roam", heading.prefix, heading.title);
  });
  return groups;
}

}  // namespace roam::core
