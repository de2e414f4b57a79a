// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/take_options.hpp"

#include <unistd.h>

#include <utility>

#include "option_sources.hpp"

namespace roam::core {

namespace {

/// The last --roam-config, which is the one in force.
const ReadOption* config_of(const std::vector<ReadOption>& options) {
  for (auto it = options.rbegin(); it != options.rend(); ++it) {
    if (it->entry->is_config()) return &*it;
  }
  return nullptr;
}

TakenOptions take(const CommandLine& line, std::span<const std::string> environment,
                  const OptionValues& defaults, const OptionTable& table,
                  const OptionGroups& groups) {
  TakenOptions taken{defaults, {}, line.help, line.help_topic};
  if (line.help) return taken;
  const std::vector<ReadOption> variables = options_in_environment(environment, table);
  std::vector<ReadOption> all;
  const ReadOption* config = config_of(line.options);
  if (config == nullptr) config = config_of(variables);
  if (config != nullptr) {
    set_option(*config->entry, config->setting, taken.values);
    all = options_in_file(config->setting.given.value, config->setting.given.origin, table);
  }
  all.insert(all.end(), variables.begin(), variables.end());
  all.insert(all.end(), line.options.begin(), line.options.end());
  std::vector<OptionSetting> list;
  for (const ReadOption& one : all) {
    set_option(*one.entry, one.setting, taken.values);
    taken.given.push_back(one.setting.given);
    list.push_back(one.setting);
  }
  const OptionSettings settings(std::move(list));
  for (const AnyOptionGroup* group : groups) group->resolve(taken.values, settings);
  for (const AnyOptionGroup* group : groups) {
    for (const Option& option : group->options()) {
      if (option.verify)
        option.verify(group->get(taken.values), settings.origin(group->given_name(option)));
    }
  }
  return taken;
}

std::vector<std::string> variables_of_options(const OptionTable& table) {
  std::vector<std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    for (const std::string& prefix : table.prefixes()) {
      if (std::string_view(*entry).starts_with(variable_name(prefix, "")))
        variables.emplace_back(*entry);
    }
  }
  return variables;
}

}  // namespace

TakenOptions take_options(std::vector<std::string>& arguments,
                          std::span<const std::string> environment, const OptionValues& defaults,
                          const OptionGroups& groups) {
  const OptionTable table(groups);
  const CommandLine line = read_command_line({arguments.begin(), arguments.end()}, table);
  TakenOptions taken = take(line, environment, defaults, table, groups);
  if (taken.help) return taken;
  std::vector<std::string> rest;
  for (const std::size_t index : line.rest) rest.push_back(std::move(arguments[index]));
  arguments = std::move(rest);
  return taken;
}

TakenOptions take_options(int& argc, char** argv, const OptionValues& defaults,
                          const OptionGroups& groups) {
  std::vector<std::string_view> arguments;
  for (int i = 1; i < argc; ++i) arguments.emplace_back(argv[i]);
  const OptionTable table(groups);
  const CommandLine line = read_command_line(arguments, table);
  TakenOptions taken = take(line, variables_of_options(table), defaults, table, groups);
  if (argc > 0 && !taken.help) {
    int kept = 1;
    for (const std::size_t index : line.rest) argv[kept++] = argv[index + 1];
    argv[kept] = nullptr;
    argc = kept;
  }
  return taken;
}

}  // namespace roam::core
