// SPDX-License-Identifier: Apache-2.0
#include "option_sources.hpp"

#include <algorithm>
#include <utility>

#include "config_tree.hpp"
#include "roam/core/detail/suggest.hpp"
#include "roam/core/error.hpp"

namespace roam::core {

namespace {

constexpr const char* see_help = " (--roam-help lists Roam's options)";
constexpr const char* see_all_help = " (--roam-help lists all options)";

const char* where_to_look(std::string_view prefix) {
  return prefix == "roam" ? see_help : see_all_help;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// True for an argument that was meant as an option of this prefix, whether or not it is well
/// written: dashes, the prefix in any case, then '-' or '_'; for Roam's prefix also '=' or nothing.
bool is_meant_for(std::string_view argument, std::string_view prefix) {
  const std::size_t dashes = argument.find_first_not_of('-');
  if (dashes == 0 || dashes == std::string_view::npos) return false;
  if (lower(argument.substr(dashes, prefix.size())) != prefix) return false;
  const std::string_view rest = argument.substr(dashes + prefix.size());
  if (rest.empty() || rest[0] == '=') return prefix == "roam";
  return rest[0] == '-' || rest[0] == '_';
}

/// The prefix that the argument was meant for; empty if for none.
std::string_view prefix_of(std::string_view argument, const OptionTable& table) {
  for (const std::string& prefix : table.prefixes()) {
    if (is_meant_for(argument, prefix)) return prefix;
  }
  return {};
}

[[noreturn]] void unknown_option(std::string_view argument, std::string_view prefix,
                                 const OptionTable& table) {
  const std::string_view written = argument.substr(0, argument.find('='));
  std::string_view name = written.substr(written.find_first_not_of('-') + prefix.size());
  if (!name.empty()) name.remove_prefix(1);
  throw ConfigError("unknown option " + std::string(written) +
                    did_you_mean(name, table.names(prefix), "--" + std::string(prefix) + "-") +
                    where_to_look(prefix));
}

/// An option as it was written, "NAME" or "NAME=value", if it is well written and known.
struct Written {
  const OptionTable::Entry* entry = nullptr;
  std::string value;
  bool has_value = false;
};

Written read_option(std::string_view argument, std::string_view prefix, const OptionTable& table) {
  const std::string start = "--" + std::string(prefix) + "-";
  if (!argument.starts_with(start)) unknown_option(argument, prefix, table);
  const std::string_view body = argument.substr(start.size());
  const std::size_t equals = body.find('=');
  Written written{table.find(prefix, body.substr(0, equals)), "", equals != std::string_view::npos};
  if (written.entry == nullptr) unknown_option(argument, prefix, table);
  if (written.has_value) written.value = std::string(body.substr(equals + 1));
  return written;
}

std::string suggested_variable(std::string_view variable, std::string_view prefix,
                               const OptionTable& table) {
  // Names are compared without the prefix, which all of them have.
  const std::string name = closest_name(variable.substr(prefix.size() + 1), table.names(prefix));
  return name.empty() || name == "help" || name == "version"
             ? std::string{}
             : "; did you mean " + variable_name(prefix, name) + "?";
}

/// Variables that are no options: those that say where an installation is (CMake reads ROAM_ROOT,
/// environment modules set others), those that configure the build of Roam itself and may linger in
/// the environment, and those by which processes find each other without a launcher.
bool is_no_option(std::string_view variable) {
  for (const char* name : {"ROAM_MPI", "ROAM_ROOT", "ROAM_HOME", "ROAM_DIR", "ROAM_BASE",
                           "ROAM_PREFIX", "ROAM_PATH", "ROAM_BIN", "ROAM_VERSION"}) {
    if (variable == name) return true;
  }
  for (const char* prefix :
       {"ROAM_WITH_", "ROAM_BUILD_", "ROAM_SANITIZE", "ROAM_WARNINGS", "ROAM_UCX_", "ROAM_VERSION_",
        "ROAM_INSTALL", "ROAM_LIB", "ROAM_INC", "ROAM_SOURCE_", "ROAM_BINARY_"}) {
    if (variable.starts_with(prefix)) return true;
  }
  return false;
}

/// Throws unless the variable may stand in the environment for another purpose.
void check_unknown_variable(const std::string& variable, std::string_view prefix,
                            const OptionTable& table) {
  const std::string suggestion = suggested_variable(variable, prefix, table);
  if (prefix != "roam" && suggestion.empty()) return;
  throw ConfigError("unknown environment variable " + variable + suggestion +
                    where_to_look(prefix));
}

/// The option that a key of the file, or of its table `prefix`, sets.
ReadOption read_key(const ConfigNode& node, std::string_view prefix, const OptionTable& table) {
  std::string name = node.key;
  std::replace(name.begin(), name.end(), '_', '-');
  const OptionTable::Entry* const entry = table.find(prefix, name);
  if (entry == nullptr || entry->group == nullptr) {
    std::vector<std::string> keys;
    for (const std::string& one : table.names(prefix)) {
      if (table.find(prefix, one)->group != nullptr) keys.push_back(key_name(one));
    }
    throw ConfigError(node.key_place + ": unknown key " + node.key + did_you_mean(node.key, keys) +
                      where_to_look(prefix));
  }
  if (!node.is_scalar()) {
    throw ConfigError(node.value_place + ": key " + node.key + ": found " + describe(node) +
                      ", allowed is one value, as on the command line");
  }
  return {entry,
          {{entry->given_name(), node.text, node.value_place + ": key " + node.key},
           OptionSource::file}};
}

}  // namespace

std::string variable_name(std::string_view prefix, std::string_view option) {
  std::string result = std::string(prefix) + "_" + std::string(option);
  for (char& c : result) {
    if (c == '-') c = '_';
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::string key_name(std::string_view option) {
  std::string key(option);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

CommandLine read_command_line(const std::vector<std::string_view>& arguments,
                              const OptionTable& table) {
  CommandLine line;
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const auto asked = std::find_if(arguments.begin(), end, [](std::string_view argument) {
    return argument == "--roam-help" || argument.starts_with("--roam-help=") ||
           argument == version_topic;
  });
  if (asked != end) {
    line.help = true;
    if (*asked == version_topic) {
      line.help_topic = version_topic;
      return line;
    }
    const std::size_t equals = asked->find('=');
    if (equals != std::string_view::npos) {
      line.help_topic = std::string(asked->substr(equals + 1));
    } else if (asked + 1 != end && !(asked + 1)->starts_with("-")) {
      line.help_topic = std::string(*(asked + 1));
    }
    return line;
  }
  const auto count = static_cast<std::size_t>(end - arguments.begin());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view prefix = prefix_of(arguments[i], table);
    if (prefix.empty()) {
      line.rest.push_back(i);
      continue;
    }
    Written written = read_option(arguments[i], prefix, table);
    const std::string origin = written.entry->flag();
    if (!written.has_value && written.entry->is_flag()) {
      written.value = "true";
    } else if (!written.has_value) {
      if (i + 1 == count || arguments[i + 1].starts_with("--")) {
        throw ConfigError(origin + ": the value is missing; write " + origin + " VALUE or " +
                          origin + "=VALUE" + where_to_look(prefix));
      }
      written.value = std::string(arguments[++i]);
    }
    line.options.push_back({written.entry,
                            {{written.entry->given_name(), std::move(written.value), origin},
                             OptionSource::command_line}});
  }
  for (std::size_t i = count; i < arguments.size(); ++i) line.rest.push_back(i);
  return line;
}

std::vector<ReadOption> options_in_environment(std::span<const std::string> entries,
                                               const OptionTable& table) {
  std::vector<ReadOption> options;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string variable = entry.substr(0, equals);
    const auto prefix = std::ranges::find_if(table.prefixes(), [&](const std::string& one) {
      return variable.starts_with(variable_name(one, ""));
    });
    if (prefix == table.prefixes().end() || is_no_option(variable)) continue;
    const auto found = std::ranges::find_if(table.entries(), [&](const OptionTable::Entry& one) {
      return one.prefix == *prefix && variable_name(one.prefix, one.name) == variable;
    });
    if (found == table.entries().end() || found->is_question()) {
      check_unknown_variable(variable, *prefix, table);
      continue;
    }
    if (equals + 1 == entry.size()) continue;
    options.push_back(
        {&*found,
         {{found->given_name(), entry.substr(equals + 1), "environment variable " + variable},
          OptionSource::environment}});
  }
  return options;
}

std::vector<ReadOption> options_in_file(const std::string& path, const std::string& origin,
                                        const OptionTable& table) {
  std::string text;
  try {
    text = read_text_file(path);
  } catch (const ConfigError& error) {
    throw ConfigError(origin + ": " + error.what());
  }
  std::vector<ReadOption> options;
  for (const ConfigNode& node : parse_toml(text, path).children) {
    const bool is_table_of_prefix =
        node.kind == ConfigNode::Kind::table && node.key != "roam" &&
        std::ranges::find(table.prefixes(), node.key) != table.prefixes().end();
    if (!is_table_of_prefix) {
      options.push_back(read_key(node, "roam", table));
      continue;
    }
    for (const ConfigNode& child : node.children)
      options.push_back(read_key(child, node.key, table));
  }
  return options;
}

}  // namespace roam::core
