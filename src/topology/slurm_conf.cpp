// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "roam/core/detail/suggest.hpp"
#include "roam/core/detail/text.hpp"
#include "roam/topology/detail/hosts.hpp"
#include "roam/topology/detail/slurm.hpp"
#include "topology/cluster.hpp"
#include "topology/refuse.hpp"

namespace roam::topology {

namespace {

struct ConfEntry {
  std::string key;  // in small letters
  std::string value;
};

/// A line together with those that continue it, without comments.
struct ConfLine {
  std::string place;
  std::string text;
};

std::vector<ConfLine> conf_lines(std::string_view text, std::string_view origin) {
  std::vector<ConfLine> lines;
  bool is_continued = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line.erase(std::min(line.find('#'), line.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
      line.pop_back();
    const bool goes_on = !line.empty() && line.back() == '\\';
    if (goes_on) line.back() = ' ';
    if (is_continued) {
      lines.back().text += line;
    } else {
      lines.push_back({std::string(origin) + ":" + std::to_string(number), std::move(line)});
    }
    is_continued = goes_on;
  }
  return lines;
}

[[noreturn]] void refuse_conf(const ConfLine& line, const std::string& what) {
  refuse(line.place, what);
}

std::vector<ConfEntry> conf_entries(const ConfLine& line) {
  static constexpr std::string_view keys[] = {"switchname", "switches",  "nodes",
                                              "linkspeed",  "blockname", "blocksizes"};
  std::vector<ConfEntry> entries;
  std::string_view rest = line.text;
  while (true) {
    const std::size_t start = rest.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return entries;
    rest.remove_prefix(start);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r"));
    rest.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    ConfEntry entry{core::lower_case(word.substr(0, equals)), ""};
    if (std::ranges::find(keys, entry.key) == std::end(keys)) {
      const std::vector<std::string> names = {"SwitchName", "Switches",  "Nodes",
                                              "LinkSpeed",  "BlockName", "BlockSizes"};
      refuse_conf(line, "unknown key " + std::string(word.substr(0, equals)) +
                            core::did_you_mean(entry.key, names) +
                            " (topology.conf has: " + core::join_names(names) + ")");
    }
    if (equals == std::string_view::npos || equals + 1 == word.size())
      refuse_conf(line, std::string(word.substr(0, equals)) + " has no value");
    entry.value = word.substr(equals + 1);
    for (const ConfEntry& other : entries)
      if (other.key == entry.key) refuse_conf(line, entry.key + ": given twice");
    entries.push_back(std::move(entry));
  }
}

void read_conf_line(const ConfLine& line, Cluster& cluster) {
  ClusterGroup group;
  group.place = line.place;
  const std::vector<ConfEntry> entries = conf_entries(line);
  if (entries.empty()) return;
  bool is_switch = false;
  bool is_block = false;
  for (const ConfEntry& entry : entries) {
    if (entry.key == "switchname") is_switch = true;
    if (entry.key == "blockname") is_block = true;
    if (entry.key == "switchname" || entry.key == "blockname") group.name = entry.value;
    if (entry.key == "nodes") group.nodes = expand_hosts(entry.value, line.place);
    if (entry.key == "switches") group.switches = expand_hosts(entry.value, line.place);
    if (entry.key == "blocksizes") {
      if (entries.size() > 1) refuse_conf(line, "BlockSizes stands on a line with other keys");
      cluster.block_sizes = read_block_sizes(entry.value, line.place);
      return;
    }
  }
  if (is_switch == is_block) refuse_conf(line, "found no SwitchName or BlockName, or both");
  if (is_block && !group.switches.empty()) refuse_conf(line, "a block has nodes, not switches");
  (is_switch ? cluster.switches : cluster.blocks).push_back(std::move(group));
}

}  // namespace

MachineTree parse_topology_conf(std::string_view text, std::string_view origin) {
  Cluster cluster;
  for (const ConfLine& line : conf_lines(text, origin)) read_conf_line(line, cluster);
  return tree_of_cluster(cluster, origin);
}

}  // namespace roam::topology
