// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/source.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "roam/core/detail/text.hpp"
#include "roam/core/machine.hpp"
#include "roam/topology/detail/hwloc_xml.hpp"
#include "roam/topology/detail/join.hpp"
#include "roam/topology/detail/slurm.hpp"
#include "roam/topology/detail/synthetic.hpp"
#include "roam/topology/detail/this_machine.hpp"
#include "topology/refuse.hpp"

namespace roam::topology {

namespace {

std::string_view first_line(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start);
  text = text.substr(0, text.find('\n'));
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

bool starts_with_key(std::string_view line, std::string_view key) {
  const std::size_t start = line.find_first_not_of(" \t");
  return start != std::string_view::npos && core::lower_case(line.substr(start, key.size())) == key;
}

/// The first line with contents, of a file with comments after '#'.
std::string_view first_statement(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start != std::string_view::npos && line[start] != '#') return line;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return {};
}

void refuse_compressed(std::string_view text, const std::string& origin) {
  using namespace std::string_view_literals;
  for (const std::string_view magic : {"\xFD"
                                       "7zXZ"sv,
                                       "\x1F\x8B"sv, "BZh"sv, "\x28\xB5\x2F\xFD"sv}) {
    if (text.starts_with(magic))
      refuse(origin, "this file is compressed; allowed is what it contains, unpacked");
  }
}

/// Reads one source, without '+'.
MachineTree read_one(const std::string& text, const std::string& origin) {
  if (text == "here") return this_machine();
  if (is_machine_tree(text)) return parse_machine_tree(text, origin);
  if (is_inline_machine(text)) return tree_of(parse_inline_machine(text, origin));
  if (is_synthetic(text)) return parse_synthetic(text, origin);
  std::error_code ignored;
  const std::size_t hash = text.rfind('#');
  const bool has_name = hash != std::string::npos && !std::filesystem::exists(text, ignored);
  const std::string path = has_name ? text.substr(0, hash) : text;
  std::string content;
  try {
    content = core::read_text_file(path);
  } catch (const ConfigError& error) {
    refuse(origin, std::string(error.what()) +
                       "; allowed is a file that describes a machine, \"here\", a tree as in "
                       "8:2:4, or a node as in \"package:2 core:4 pu:2\"");
  }
  return parse_tree(content, path, has_name ? std::string_view(text).substr(hash + 1) : "");
}

/// The position of the '+' between two sources: outside of parentheses and of numbers such as 1e+3.
std::size_t find_plus(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    const bool is_exponent = i > 1 && text[i - 1] == 'e' && text[i - 2] >= '0' &&
                             text[i - 2] <= '9' && is_machine_tree(text.substr(0, i));
    if (text[i] == '+' && depth == 0 && !is_exponent) return i;
  }
  return std::string_view::npos;
}

}  // namespace

MachineTree parse_tree(std::string_view text, const std::string& origin, std::string_view name) {
  refuse_compressed(text, origin);
  const std::string_view line = first_line(text);
  if (line.empty()) refuse(origin, "the file is empty");
  if (line.starts_with('<') || line.starts_with("\xEF\xBB\xBF<"))
    return parse_hwloc_xml(text, origin);
  const std::string_view statement = first_statement(text);
  for (const std::string_view key : {"switchname", "blockname", "blocksizes"})
    if (starts_with_key(statement, key)) return parse_topology_conf(text, origin);
  for (const std::string_view key : {"---", "- ", "%yaml"})
    if (starts_with_key(statement, key)) return parse_topology_yaml(text, origin, name);
  if (is_machine_tree(line)) return parse_machine_tree(line, origin);
  if (is_synthetic(line)) return parse_synthetic(line, origin);
  try {
    return tree_of(parse_machine(text, origin));
  } catch (const ConfigError& error) {
    throw ConfigError(core::one_line(error.what()));
  }
}

MachineTree read_tree(const std::string& text, const std::string& origin) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return read_one(text, origin);
  std::size_t plus = find_plus(text);
  MachineTree tree = read_one(text.substr(0, plus), origin);
  for (std::string rest = text; plus != std::string::npos;) {
    rest.erase(0, plus + 1);
    plus = find_plus(rest);
    tree = join(tree, read_one(rest.substr(0, plus), origin), origin);
  }
  return tree;
}

}  // namespace roam::topology
