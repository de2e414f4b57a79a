// SPDX-License-Identifier: Apache-2.0
#include "option_sources.hpp"

#include <algorithm>
#include <utility>

#include "config_tree.hpp"
#include "option_table.hpp"
#include "roam/core/error.hpp"
#include "roam/core/suggest.hpp"

namespace roam::core {

namespace {

constexpr std::string_view option_prefix = "--roam-";
constexpr std::string_view variable_prefix = "ROAM_";
constexpr const char* see_help = " (--roam-help lists Roam's options)";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string variable_name(const std::string& option) {
  std::string result(variable_prefix);
  for (const char c : option) {
    if (c == '-') {
      result += '_';
    } else {
      result += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return result;
}

/// True for what was meant for Roam, well or badly written: dashes, "roam" in any case, then '-',
/// '_', '=' or nothing.
bool is_meant_for_roam(std::string_view argument) {
  const std::size_t dashes = argument.find_first_not_of('-');
  if (dashes == 0 || dashes == std::string_view::npos) return false;
  if (lower(argument.substr(dashes, 4)) != "roam") return false;
  const std::string_view rest = argument.substr(dashes + 4);
  return rest.empty() || rest[0] == '-' || rest[0] == '_' || rest[0] == '=';
}

[[noreturn]] void unknown_option(std::string_view argument, const OptionTable& table) {
  const std::string_view written = argument.substr(0, argument.find('='));
  std::string_view name = written.substr(written.find_first_not_of('-') + 4);
  if (!name.empty()) name.remove_prefix(1);
  throw ConfigError("unknown option " + std::string(written) +
                    did_you_mean(name, table.names(), option_prefix) + see_help);
}

/// "NAME" or "NAME=value" of a well written, known option.
struct Written {
  std::string name;
  std::string value;
  bool has_value = false;
};

Written read_option(std::string_view argument, const OptionTable& table) {
  if (!argument.starts_with(option_prefix)) unknown_option(argument, table);
  const std::string_view body = argument.substr(option_prefix.size());
  const std::size_t equals = body.find('=');
  Written written{std::string(body.substr(0, equals)), "", equals != std::string_view::npos};
  if (!table.knows(written.name)) unknown_option(argument, table);
  if (written.has_value) written.value = std::string(body.substr(equals + 1));
  if (written.name == "help") throw ConfigError("--roam-help takes no value");
  return written;
}

std::string suggested_variable(std::string_view variable, const OptionTable& table) {
  // Compared without the prefix, which all have in common.
  const std::string name = closest_name(variable.substr(variable_prefix.size()), table.names());
  return name.empty() || name == "help" ? std::string{}
                                        : "; did you mean " + variable_name(name) + "?";
}

/// Variables that are no options: those that say where an installation of Roam is (CMake reads
/// ROAM_ROOT, environment modules set others), those that configure the build of Roam itself and
/// may linger in the environment, and those by which processes find each other without a launcher.
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

}  // namespace

CommandLine read_command_line(const std::vector<std::string_view>& arguments,
                              const OptionTable& table) {
  CommandLine line;
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  line.help = std::find(arguments.begin(), end, "--roam-help") != end;
  if (line.help) return line;
  const auto count = static_cast<std::size_t>(end - arguments.begin());
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_meant_for_roam(arguments[i])) {
      line.rest.push_back(i);
      continue;
    }
    Written written = read_option(arguments[i], table);
    const std::string origin = std::string(option_prefix) + written.name;
    if (!written.has_value && table.is_flag(written.name)) {
      written.value = "true";
    } else if (!written.has_value) {
      if (i + 1 == count || arguments[i + 1].starts_with("--")) {
        throw ConfigError(origin + ": the value is missing; write " + origin + " VALUE or " +
                          origin + "=VALUE" + see_help);
      }
      written.value = std::string(arguments[++i]);
    }
    line.settings.push_back(
        {{std::move(written.name), std::move(written.value), origin}, Source::command_line});
  }
  for (std::size_t i = count; i < arguments.size(); ++i) line.rest.push_back(i);
  return line;
}

std::vector<Setting> settings_in_environment(std::span<const std::string> entries,
                                             const OptionTable& table) {
  std::vector<Setting> settings;
  std::vector<std::string> variables;
  for (const std::string& name : table.names()) variables.push_back(variable_name(name));
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with(variable_prefix) || equals == std::string::npos) continue;
    const std::string variable = entry.substr(0, equals);
    if (is_no_option(variable)) continue;
    const auto found = std::find(variables.begin(), variables.end(), variable);
    if (found == variables.end()) {
      throw ConfigError("unknown environment variable " + variable +
                        suggested_variable(variable, table) + see_help);
    }
    const std::string& name = table.names()[static_cast<std::size_t>(found - variables.begin())];
    if (name == "help") throw ConfigError("unknown environment variable " + variable + see_help);
    if (equals + 1 == entry.size()) continue;
    settings.push_back({{name, entry.substr(equals + 1), "environment variable " + variable},
                        Source::environment});
  }
  return settings;
}

std::vector<Setting> settings_in_file(const std::string& path, const std::string& origin,
                                      const OptionTable& table) {
  std::string text;
  try {
    text = read_text_file(path);
  } catch (const ConfigError& error) {
    throw ConfigError(origin + ": " + error.what());
  }
  std::vector<std::string> keys;
  for (const std::string& name : table.names()) {
    if (name == "config" || name == "help") continue;
    std::string key = name;
    std::replace(key.begin(), key.end(), '-', '_');
    keys.push_back(std::move(key));
  }
  std::vector<Setting> settings;
  for (const ConfigNode& node : parse_toml(text, path).children) {
    std::string name = node.key;
    std::replace(name.begin(), name.end(), '_', '-');
    std::string key = name;
    std::replace(key.begin(), key.end(), '-', '_');
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw ConfigError(node.key_place + ": unknown key " + node.key +
                        did_you_mean(node.key, keys) + see_help);
    }
    if (!node.is_scalar()) {
      throw ConfigError(node.value_place + ": key " + node.key + ": found " + describe(node) +
                        ", allowed is one value, as on the command line");
    }
    settings.push_back(
        {{std::move(name), node.text, node.value_place + ": key " + node.key}, Source::file});
  }
  return settings;
}

}  // namespace roam::core
