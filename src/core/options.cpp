// SPDX-License-Identifier: Apache-2.0
#include "roam/core/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

#include "config_tree.hpp"
#include "option_sources.hpp"
#include "option_table.hpp"
#include "roam/core/error.hpp"

namespace roam {

namespace {

using core::OptionTable;
using core::Setting;

/// The last setting of `name`, the one in force.
const Setting* in_force(const std::vector<Setting>& settings, std::string_view name) {
  for (auto it = settings.rbegin(); it != settings.rend(); ++it) {
    if (it->given.name == name) return &*it;
  }
  return nullptr;
}

Machine load_machine(const std::string& text, const std::string& origin) {
  if (is_inline_machine(text)) return parse_inline_machine(text, origin);
  std::string content;
  try {
    content = core::read_text_file(text);
  } catch (const ConfigError& error) {
    throw ConfigError(origin + ": " + error.what() +
                      "; allowed is a machine description file, or a machine inline as in " +
                      "ranks=10,workers=32");
  }
  return parse_machine(content, text);
}

void resolve_machine(const std::vector<Setting>& settings, const OptionTable& table,
                     Options& options) {
  if (const Setting* simulate = in_force(settings, "simulate")) {
    options.simulate = load_machine(table.simulate(), simulate->given.origin);
    std::string origin = simulate->given.origin;
    const Setting* ranks = in_force(settings, "ranks");
    const Setting* workers = in_force(settings, "workers");
    if (ranks != nullptr && ranks->source >= simulate->source) {
      options.simulate->ranks = options.ranks;
      origin += " with " + ranks->given.origin + " " + ranks->given.value;
    }
    if (workers != nullptr && workers->source >= simulate->source && options.workers > 0) {
      options.simulate->workers_per_rank = options.workers;
    }
    check(*options.simulate, origin);
  } else if (options.simulate) {
    // The program's own default machine.
    if (options.ranks_given) options.simulate->ranks = options.ranks;
    if (options.workers > 0) options.simulate->workers_per_rank = options.workers;
    check(*options.simulate, "simulated machine");
  }
  if (options.simulate) {
    options.ranks = options.simulate->ranks;
    options.workers = options.simulate->workers_per_rank;
  }
}

void check_output_file(const std::string& name, const std::string& origin) {
  if (name.empty()) return;
  namespace fs = std::filesystem;
  const auto fail = [&](const std::string& text) {
    throw ConfigError(origin + ": cannot write \"" + name + "\": " + text);
  };
  std::error_code error;
  const fs::path file(name);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
    fail("\"" + folder.string() + "\" is not an existing folder");
  if (fs::is_directory(file, error)) fail("it is a folder; allowed is the name of a file");
  const fs::path target = fs::exists(file, error) ? file : folder;
  if (::access(target.c_str(), W_OK) != 0)
    fail("\"" + target.string() + "\": " + std::strerror(errno));
}

/// A folder that may be made where it is not.
void check_output_folder(const std::string& name, const std::string& origin) {
  if (name.empty()) return;
  namespace fs = std::filesystem;
  const auto fail = [&](const std::string& text) {
    throw ConfigError(origin + ": cannot write to \"" + name + "\": " + text);
  };
  std::error_code error;
  const fs::path folder(name);
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  const bool exists = fs::exists(folder, error);
  if (exists && !fs::is_directory(folder, error)) fail("it is no folder");
  if (!exists && !fs::is_directory(parent, error))
    fail("\"" + parent.string() + "\" is not an existing folder");
  if (::access((exists ? folder : parent).c_str(), W_OK) != 0) fail(std::strerror(errno));
}

ParsedArguments parse(const core::CommandLine& line, std::span<const std::string> environment,
                      const Options& defaults) {
  ParsedArguments parsed{defaults, line.help};
  if (line.help) return parsed;
  Options& options = parsed.options;
  options.given.clear();
  options.ranks_given = false;
  OptionTable table(options);

  const std::vector<Setting> variables = core::settings_in_environment(environment, table);
  std::vector<Setting> settings;
  const Setting* config = in_force(line.settings, "config");
  if (config == nullptr) config = in_force(variables, "config");
  if (config != nullptr) {
    table.set("config", config->given.value, config->given.origin);
    settings = core::settings_in_file(table.config(), config->given.origin, table);
  }
  settings.insert(settings.end(), variables.begin(), variables.end());
  settings.insert(settings.end(), line.settings.begin(), line.settings.end());
  for (const Setting& setting : settings) {
    table.set(setting.given.name, setting.given.value, setting.given.origin);
    options.given.push_back(setting.given);
  }
  options.ranks_given = in_force(settings, "ranks") != nullptr;
  resolve_machine(settings, table, options);
  if (const Setting* speed = in_force(settings, "speed"); speed != nullptr && options.simulate) {
    throw ConfigError(speed->given.origin + ": a simulated machine has speeds of its own, as in " +
                      "--roam-simulate ranks=4,speed=2 or the key speed of its file");
  }
  check_output_file(options.trace, options.origin("trace"));
  check_output_file(options.stuck_graph, options.origin("stuck-graph"));
  check_output_folder(options.lb_data, options.origin("lb-data"));
  return parsed;
}

/// Otherwise the plus before it belongs to a number. What is empty is a name that is missing.
bool may_start_choice(std::string_view text) {
  return text.empty() || text.front() == '.' || text.front() == '/' ||
         std::isalpha(static_cast<unsigned char>(text.front())) != 0;
}

}  // namespace

std::string_view to_string(LocationPolicy policy) {
  switch (policy) {
    case LocationPolicy::eager:
      return "eager";
    case LocationPolicy::home:
      return "home";
    case LocationPolicy::lazy:
      break;
  }
  return "lazy";
}

std::string_view to_string(ProgressMode mode) {
  switch (mode) {
    case ProgressMode::dedicated:
      return "dedicated";
    case ProgressMode::polling:
      return "polling";
    case ProgressMode::shared:
      break;
  }
  return "shared";
}

PluginChoice parse_plugin_choice(std::string_view text) {
  constexpr std::string_view form = "allowed is NAME or NAME:key=value,key=value";
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const auto is_name = [&](std::string_view name) {
    return !name.empty() && name.find_first_not_of(letters) == std::string_view::npos;
  };
  const auto fail = [&](const std::string& what) {
    throw ConfigError(what + "; " + std::string(form));
  };
  const std::size_t colon = text.find(':');
  PluginChoice choice;
  choice.name = std::string(text.substr(0, colon));
  if (!choice.is_path() && !is_name(choice.name)) {
    const bool is_library = choice.name.ends_with(".so");
    fail("\"" + choice.name + "\" is not a name of letters, digits, '_' and '-'" +
         (is_library ? "; a library is given by its path: ./" + choice.name : ""));
  }
  if (colon == std::string_view::npos) return choice;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view entry = rest.substr(0, comma);
    const std::size_t equals = entry.find('=');
    const std::string key(entry.substr(0, equals));
    if (equals == std::string_view::npos || !is_name(key) || equals + 1 == entry.size()) {
      fail("\"" + std::string(entry) + "\" is not of the form key=value");
    }
    for (const auto& [earlier, value] : choice.parameters) {
      if (earlier == key) fail("key " + key + " is given twice");
    }
    choice.parameters.emplace_back(key, std::string(entry.substr(equals + 1)));
    if (comma == std::string_view::npos) return choice;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<PluginChoice> parse_plugin_stack(std::string_view text) {
  std::vector<PluginChoice> stack;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '+' || !may_start_choice(text.substr(i + 1))) continue;
    stack.push_back(parse_plugin_choice(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  stack.push_back(parse_plugin_choice(text.substr(begin)));
  return stack;
}

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
  Options scratch;
  const core::CommandLine line =
      core::read_command_line({arguments.begin(), arguments.end()}, OptionTable(scratch));
  ParsedArguments parsed = parse(line, environment, defaults);
  std::vector<std::string> rest;
  for (const std::size_t index : line.rest) rest.push_back(std::move(arguments[index]));
  arguments = std::move(rest);
  return parsed;
}

ParsedArguments take_options(int& argc, char** argv, const Options& defaults) {
  std::vector<std::string_view> arguments;
  for (int i = 1; i < argc; ++i) arguments.emplace_back(argv[i]);
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("ROAM_")) environment.emplace_back(*entry);
  }
  Options scratch;
  const core::CommandLine line = core::read_command_line(arguments, OptionTable(scratch));
  ParsedArguments parsed = parse(line, environment, defaults);
  if (argc > 0) {
    int kept = 1;
    for (const std::size_t index : line.rest) argv[kept++] = argv[index + 1];
    argv[kept] = nullptr;
    argc = kept;
  }
  return parsed;
}

std::string options_help(std::span<const OptionNames> names, const Options& defaults) {
  Options shown = defaults;
  return OptionTable(shown).help(names);
}

}  // namespace roam
