// SPDX-License-Identifier: Apache-2.0
#include "config_tree.hpp"

#include <stdexcept>

// toml++ asserts for some malformed table headers, and has undefined behaviour if assertions are
// off. Here a failed assertion becomes an exception, in every build, and so an error in the text.
#define TOML_ASSERT(condition) \
  static_cast<void>((condition) || (throw std::invalid_argument(#condition), true))
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wterminate"  // it is thrown in noexcept functions, too, where it
                                              // ends the program as assert would
#endif
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "roam/core/error.hpp"
#include "toml_text.hpp"

namespace roam::core {

namespace {

using Kind = ConfigNode::Kind;

std::string place(const std::string& file, const toml::source_position& position) {
  return file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

std::string number_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

ConfigNode convert(const toml::node& source, const std::string& file);

void convert_table(const toml::table& table, const std::string& file, ConfigNode& node) {
  std::vector<std::pair<toml::source_position, ConfigNode>> members;
  for (auto&& [key, value] : table) {
    ConfigNode member = convert(value, file);
    member.key = std::string(key.str());
    member.key_place = place(file, key.source().begin);
    members.emplace_back(key.source().begin, std::move(member));
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& member : members) node.children.push_back(std::move(member.second));
}

ConfigNode convert(const toml::node& source, const std::string& file) {
  ConfigNode node;
  node.value_place = place(file, source.source().begin);
  if (const auto* table = source.as_table()) {
    node.kind = Kind::table;
    convert_table(*table, file, node);
  } else if (const auto* array = source.as_array()) {
    node.kind = Kind::array;
    for (const toml::node& element : *array) node.children.push_back(convert(element, file));
  } else if (const auto* text = source.as_string()) {
    node.kind = Kind::string;
    node.text = text->get();
  } else if (const auto* integer = source.as_integer()) {
    node.kind = Kind::integer;
    node.integer = integer->get();
    node.number = static_cast<double>(integer->get());
    node.text = std::to_string(integer->get());
  } else if (const auto* number = source.as_floating_point()) {
    node.kind = Kind::number;
    node.number = number->get();
    node.text = number_text(number->get());
  } else if (const auto* boolean = source.as_boolean()) {
    node.kind = Kind::boolean;
    node.text = boolean->get() ? "true" : "false";
  } else {
    node.kind = Kind::other;
  }
  return node;
}

bool is_rejected(std::string_view text) {
  try {
    static_cast<void>(toml::parse(text));
  } catch (const std::invalid_argument&) {
    return true;
  } catch (const toml::parse_error&) {
    // The text up to this line has another error, or ends in the middle of a value of several
    // lines.
  }
  return false;
}

/// Finds the line at which toml++'s assertion fails, which does not tell its place. toml++ reads
/// from the beginning, so from some line on every beginning of the text makes the assertion fail.
TextPlace find_rejected_line(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t end = 0; end < text.size();) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
    ends.push_back(end);
  }
  const auto bad = std::partition_point(ends.begin(), ends.end(), [text](std::size_t end) {
    return !is_rejected(text.substr(0, end));
  });
  if (bad == ends.end()) return {};
  const std::size_t begin = bad == ends.begin() ? 0 : *(bad - 1);
  const std::size_t header = text.find('[', begin);
  return {static_cast<std::size_t>(bad - ends.begin()) + 1, header < *bad ? header - begin + 1 : 1};
}

}  // namespace

std::string describe(const ConfigNode& node) {
  switch (node.kind) {
    case Kind::array:
      return "a list";
    case Kind::table:
      return "a table";
    case Kind::other:
      return "a date or time";
    case Kind::string:
      return "the text \"" + node.text + "\"";
    default:
      return node.text;
  }
}

ConfigNode parse_toml(std::string_view text, const std::string& file) {
  if (const auto bad = find_stray_character(text)) {
    throw ConfigError(file + ":" + std::to_string(bad->line) + ":" + std::to_string(bad->column) +
                      ": not valid TOML: only text in quotes and comments may hold characters "
                      "beyond ASCII");
  }
  try {
    const toml::table table = toml::parse(text, file);
    return convert(table, file);
  } catch (const std::invalid_argument&) {
    const TextPlace bad = find_rejected_line(text);
    throw ConfigError(file + ":" + std::to_string(bad.line) + ":" + std::to_string(bad.column) +
                      ": not valid TOML: a table header has no name");
  } catch (const toml::parse_error& error) {
    throw ConfigError(place(file, error.source().begin) +
                      ": not valid TOML: " + std::string(error.description()));
  }
}

std::string read_text_file(const std::string& path) {
  constexpr std::size_t limit = std::size_t{64} << 20;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const auto fail = [&](const std::string& reason) {
    throw ConfigError("cannot read \"" + path + "\": " + reason);
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(std::strerror(errno));
  std::string text;
  char block[65536];
  while (const std::size_t count = std::fread(block, 1, sizeof block, file.get())) {
    text.append(block, count);
    if (text.size() > limit) fail("longer than 64 MiB");
  }
  if (std::ferror(file.get()) != 0) fail(std::strerror(errno));
  return text;
}

}  // namespace roam::core
