// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <map>

#include "config_tree.hpp"
#include "machine_check.hpp"
#include "roam/core/detail/suggest.hpp"
#include "roam/core/detail/text.hpp"
#include "roam/core/error.hpp"
#include "roam/core/machine.hpp"

namespace roam {

namespace {

using core::ConfigNode;
using Kind = core::ConfigNode::Kind;

[[noreturn]] void fail(const std::string& place, const std::string& key, const std::string& text) {
  throw ConfigError(place + ": " + key + ": " + text);
}

std::string whole_number_of(const std::string& key) {
  std::int64_t high = max_ranks;
  if (key == "workers") high = max_workers_per_rank;
  if (key.ends_with(", uplinks")) high = core::max_uplinks;
  return "a whole number from 1 to " + std::to_string(high);
}

double read_number(const ConfigNode& node, const std::string& path) {
  if (!node.is_numeric()) {
    fail(node.value_place, path, "found " + core::describe(node) + ", allowed is a number");
  }
  return node.number;
}

/// A whole number that fits `Integer`; its range is checked later.
template <class Integer>
Integer read_whole(const ConfigNode& node, const std::string& path) {
  if (node.kind != Kind::integer || node.integer < 0 ||
      node.integer > std::numeric_limits<std::int32_t>::max()) {
    fail(node.value_place, path,
         "found " + core::describe(node) + ", allowed is " + whole_number_of(path));
  }
  return static_cast<Integer>(node.integer);
}

/// Reads the TOML tree; remembers where each key stands so that the checks on the whole machine can
/// point there.
class MachineReader {
 public:
  Machine read(const ConfigNode& root) {
    for (const ConfigNode& node : root.children) read_member(node);
    if (const auto problem = core::find_problem(machine_)) {
      const auto place = places_.find(problem->path);
      fail(place != places_.end() ? place->second : root.value_place, problem->path, problem->text);
    }
    return std::move(machine_);
  }

 private:
  void read_member(const ConfigNode& node) {
    places_[node.key] = node.value_place;
    for (const core::MachineField& field : core::machine_fields) {
      if (node.key != field.key) continue;
      machine_.*field.member = read_number(node, node.key);
      return;
    }
    if (node.key == "ranks") {
      machine_.ranks = read_whole<std::int32_t>(node, node.key);
    } else if (node.key == "workers") {
      machine_.workers_per_rank = read_whole<std::uint32_t>(node, node.key);
    } else if (node.key == "speed") {
      read_speeds(node);
    } else if (node.key == "network") {
      read_network(node);
    } else {
      std::vector<std::string> names = {"ranks", "workers", "speed", "network"};
      for (const core::MachineField& field : core::machine_fields) names.emplace_back(field.key);
      unknown(node, names, "a machine");
    }
  }

  void read_speeds(const ConfigNode& node) {
    if (node.kind != Kind::array) {
      machine_.speeds = {read_number(node, "speed")};
      return;
    }
    machine_.speeds.clear();
    for (const ConfigNode& element : node.children)
      machine_.speeds.push_back(read_number(element, "speed"));
  }

  void read_network(const ConfigNode& node) {
    if (node.kind != Kind::array) {
      fail(node.value_place, "network",
           "found " + core::describe(node) +
               ", allowed are tables [[network]], innermost level first");
    }
    machine_.network.clear();
    for (const ConfigNode& element : node.children) {
      if (element.kind != Kind::table) {
        fail(element.value_place, "network",
             "found " + core::describe(element) + ", allowed are tables [[network]]");
      }
      read_level(element);
    }
  }

  void read_level(const ConfigNode& table) {
    const std::size_t index = machine_.network.size();
    NetworkLevel& level = machine_.network.emplace_back();
    // What is missing, too, may be wrong.
    for (const char* key : {"name", "group_ranks", "parents", "link_bandwidth_bytes_per_second"})
      places_[core::level_path(index, key)] = table.value_place;
    for (const ConfigNode& node : table.children) {
      const std::string path = core::level_path(index, node.key);
      places_[path] = node.value_place;
      read_level_member(node, path, level);
    }
  }

  void read_level_member(const ConfigNode& node, const std::string& path, NetworkLevel& level) {
    for (const core::LevelField& field : core::level_fields) {
      if (node.key != field.key) continue;
      level.*field.member = read_number(node, path);
      return;
    }
    if (node.key == "name") {
      if (node.kind != Kind::string) {
        fail(node.value_place, path,
             "found " + core::describe(node) + ", allowed is text in quotes");
      }
      level.name = node.text;
    } else if (node.key == "group_ranks") {
      level.group_ranks = read_whole<std::int32_t>(node, path);
      if (level.group_ranks == 0)
        fail(node.value_place, path, "found 0; leave it out to span all ranks");
    } else if (node.key == "parents") {
      level.parents = read_numbers(
          node, path, {0, max_ranks - 1, "a list with a number for each group inside"});
    } else if (node.key == "uplinks") {
      level.uplinks = read_whole<std::int32_t>(node, path);
    } else if (node.key == "torus") {
      level.torus =
          read_numbers(node, path, {1, max_ranks, "a list with the size of each dimension"});
    } else {
      std::vector<std::string> names = {"name", "group_ranks", "parents", "uplinks", "torus"};
      for (const core::LevelField& field : core::level_fields) names.emplace_back(field.key);
      unknown(node, names, "a network level");
    }
  }

  struct AllowedNumbers {
    std::int32_t low;
    std::int32_t high;
    const char* what;
  };
  static std::vector<std::int32_t> read_numbers(const ConfigNode& node, const std::string& path,
                                                const AllowedNumbers& allowed) {
    if (node.kind != Kind::array || node.children.empty()) {
      fail(node.value_place, path,
           "found " + core::describe(node) + ", allowed is " + allowed.what);
    }
    std::vector<std::int32_t> numbers;
    for (const ConfigNode& element : node.children) {
      if (element.kind != Kind::integer || element.integer < allowed.low ||
          element.integer > allowed.high) {
        fail(element.value_place, path,
             "found " + core::describe(element) + ", allowed are whole numbers from " +
                 std::to_string(allowed.low) + " to " + std::to_string(allowed.high));
      }
      numbers.push_back(static_cast<std::int32_t>(element.integer));
    }
    return numbers;
  }

  [[noreturn]] static void unknown(const ConfigNode& node, const std::vector<std::string>& names,
                                   const char* owner) {
    throw ConfigError(node.key_place + ": unknown key " + node.key +
                      core::did_you_mean(node.key, names) + " (" + owner +
                      " has: " + core::join_names(names) + ")");
  }

  Machine machine_;
  std::map<std::string, std::string> places_;
};

double inline_number(const std::string& key, std::string_view value, const std::string& origin) {
  const auto number = core::read_number<double>(value);
  if (!number) fail(origin, key, "found \"" + std::string(value) + "\", allowed is a number");
  return *number;
}

template <class Integer>
Integer inline_whole(const std::string& key, std::string_view value, const std::string& origin) {
  const auto number = core::read_number<Integer>(value);
  if (!number) {
    fail(origin, key, "found \"" + std::string(value) + "\", allowed is " + whole_number_of(key));
  }
  return *number;
}

void read_inline_entry(Machine& machine, const std::string& key, std::string_view value,
                       const std::string& origin) {
  for (const core::MachineField& field : core::machine_fields) {
    if (key == field.key) {
      machine.*field.member = inline_number(key, value, origin);
      return;
    }
  }
  for (const core::LevelField& field : core::level_fields) {
    if (key == field.key) {
      machine.network[0].*field.member = inline_number(key, value, origin);
      return;
    }
  }
  if (key == "ranks") {
    machine.ranks = inline_whole<std::int32_t>(key, value, origin);
  } else if (key == "workers") {
    machine.workers_per_rank = inline_whole<std::uint32_t>(key, value, origin);
  } else if (key == "speed") {
    machine.speeds = {inline_number(key, value, origin)};
  } else {
    std::vector<std::string> names = {"ranks", "workers", "speed"};
    for (const core::MachineField& field : core::machine_fields) names.emplace_back(field.key);
    for (const core::LevelField& field : core::level_fields) names.emplace_back(field.key);
    throw ConfigError(origin + ": unknown key " + key + core::did_you_mean(key, names) +
                      " (an inline machine has: " + core::join_names(names) +
                      "; for a file whose name contains '=' write ./NAME)");
  }
}

}  // namespace

bool is_inline_machine(std::string_view text) {
  const std::size_t length =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-");
  return length != std::string_view::npos && length > 0 && text[length] == '=';
}

Machine parse_inline_machine(std::string_view text, const std::string& origin) {
  Machine machine;
  std::vector<std::string> seen;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view entry = text.substr(0, comma);
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw ConfigError(origin + ": found \"" + std::string(entry) +
                        "\", allowed is key=value,... as in ranks=10,workers=32");
    }
    const std::string key(entry.substr(0, equals));
    for (const std::string& earlier : seen) {
      if (earlier == key) throw ConfigError(origin + ": " + key + ": given twice");
    }
    seen.push_back(key);
    read_inline_entry(machine, key, entry.substr(equals + 1), origin);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (const auto problem = core::find_problem(machine)) {
    // A machine given inline has one level; its keys carry no "network level 1".
    const std::string prefix = core::level_path(0, "");
    std::string path = problem->path;
    if (path.starts_with(prefix)) path.erase(0, prefix.size());
    fail(origin, path, problem->text);
  }
  return machine;
}

Machine parse_machine(std::string_view toml, const std::string& origin) {
  return MachineReader{}.read(core::parse_toml(toml, origin));
}

Machine read_machine_file(const std::string& path) {
  return parse_machine(core::read_text_file(path), path);
}

Machine read_machine(const std::string& text, const std::string& origin) {
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

}  // namespace roam
