// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/options.hpp"

#include <algorithm>
#include <thread>

#include "options_to_compare.hpp"
#include "roam/core/detail/take_options.hpp"

namespace roam {

namespace {

/// Calls a function for each struct of values that is a base of Options.
template <class Function, class... Groups>
void for_each_of(const Function& function, std::type_identity<Groups>... groups) {
  (function(groups), ...);
}
template <class Function>
void for_each_member_group(const Function& function) {
  for_each_of(
      function, std::type_identity<JobOptions>{}, std::type_identity<transport::NetworkOptions>{},
      std::type_identity<exec::WorkOptions>{}, std::type_identity<am::MessageOptions>{},
      std::type_identity<mobile::ObjectSpaceOptions>{},
      std::type_identity<balance::BalanceOptions>{}, std::type_identity<trace::RecordOptions>{});
}

core::OptionValues values_of(const Options& options) {
  core::OptionValues values = options.others;
  for_each_member_group([&]<class Group>(std::type_identity<Group>) {
    values.set<Group>(static_cast<const Group&>(options));
  });
  return values;
}

ParsedArguments parsed(core::TakenOptions&& taken, const Options& defaults) {
  ParsedArguments result{defaults, taken.help, std::move(taken.help_topic)};
  if (taken.help) return result;
  Options& options = result.options;
  for_each_member_group([&]<class Group>(std::type_identity<Group>) {
    static_cast<Group&>(options) = taken.values.take<Group>();
  });
  options.others = std::move(taken.values);
  options.given = std::move(taken.given);
  return result;
}

}  // namespace

std::string Options::origin(std::string_view name) const {
  for (auto it = given.rbegin(); it != given.rend(); ++it) {
    if (it->name == name) return it->origin;
  }
  return "default";
}

std::uint32_t workers_per_rank(const Options& options, std::int32_t ranks_here) {
  if (options.workers > 0) return options.workers;
  const std::uint32_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::uint32_t share = cores / static_cast<std::uint32_t>(std::max(1, ranks_here));
  return std::clamp(share, 1U, max_workers_per_rank);
}

ParsedArguments take_options(std::vector<std::string>& arguments,
                             std::span<const std::string> environment, const Options& defaults) {
  return parsed(core::take_options(arguments, environment, values_of(defaults)), defaults);
}

ParsedArguments take_options(int& argc, char** argv, const Options& defaults) {
  return parsed(core::take_options(argc, argv, values_of(defaults)), defaults);
}

std::vector<OptionToCompare> options_to_compare(const Options& options) {
  const core::OptionValues values = values_of(options);
  std::vector<OptionToCompare> list;
  for (const core::AnyOptionGroup* group : core::AnyOptionGroup::all()) {
    for (const core::Option& option : group->options()) {
      if (option.compared)
        list.push_back({group->flag(option), option.compared(group->get(values))});
    }
  }
  return list;
}

std::string options_help(const std::string& topic, const Options& defaults) {
  return core::options_help(values_of(defaults), topic);
}

const Options& detail::default_options() {
  static const Options defaults{};
  return defaults;
}

}  // namespace roam
