// SPDX-License-Identifier: Apache-2.0
#include "roam/core/plugin_choice.hpp"

#include <cctype>

#include "roam/core/error.hpp"

namespace roam {

namespace {

/// True if a choice may begin with this text. If not, the plus before it belongs to a number. An
/// empty text counts as a choice whose name is missing.
bool may_start_choice(std::string_view text) {
  return text.empty() || text.front() == '.' || text.front() == '/' ||
         std::isalpha(static_cast<unsigned char>(text.front())) != 0;
}

}  // namespace

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

std::string to_string(const PluginChoice& choice) {
  std::string text = choice.name;
  for (std::size_t i = 0; i < choice.parameters.size(); ++i) {
    text += (i == 0 ? ":" : ",") + choice.parameters[i].first + "=" + choice.parameters[i].second;
  }
  return text;
}

std::string to_string(const std::vector<PluginChoice>& stack) {
  std::string text;
  for (const PluginChoice& choice : stack) text += (text.empty() ? "" : "+") + to_string(choice);
  return text;
}

}  // namespace roam
