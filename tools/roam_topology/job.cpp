// SPDX-License-Identifier: Apache-2.0
#include "job.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "roam/core/error.hpp"

namespace roam_topology {

using nlohmann::json;
using roam::MachineTree;
using roam::TreeRange;

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw roam::ConfigError(path + ": " + what);
}

/// The summary of a trace, without its events, which may be many.
json read_summary(const std::string& path) {
  std::ifstream file(path);
  if (!file) refuse(path, "cannot be read");
  const json whole = json::parse(
      file,
      [](int depth, json::parse_event_t event, json& parsed) {
        return event != json::parse_event_t::key || depth != 1 || parsed != "traceEvents";
      },
      false);
  if (whole.is_object() && whole.contains("roam") && whole["roam"].is_object())
    return whole["roam"];
  refuse(path, "found no trace of a job, allowed is a file that --roam-trace has written");
}

JobRank read_rank(const json& entry, bool is_simulated, const std::string& path) {
  JobRank rank;
  if (is_simulated) return rank;
  const bool is_known = entry.contains("host") && entry["host"].is_string() &&
                        entry.contains("processors") && entry["processors"].is_array();
  if (!is_known) refuse(path, "does not say where the ranks ran");
  rank.host = entry["host"].get<std::string>();
  for (const json& processor : entry["processors"]) {
    if (!processor.is_number_integer()) refuse(path, "found a processor that is no whole number");
    rank.processors.push_back(processor.get<std::int32_t>());
  }
  rank.is_bound = entry.value("bound", json(false)) == true;
  return rank;
}

/// The group of the level "node" with this name, or nothing.
std::optional<std::int32_t> node_named(const MachineTree& tree, std::size_t level,
                                       const std::string& name) {
  for (std::int32_t node = 0; node < tree.groups(level); ++node) {
    if (tree.name(level, node) == name) return node;
  }
  return std::nullopt;
}

/// The leaves of each host that the ranks ran on.
std::map<std::string, TreeRange> hosts_of(const std::vector<JobRank>& ranks,
                                          const MachineTree& tree, const std::string& path) {
  std::map<std::string, TreeRange> hosts;
  const auto level = tree.level_named("node");
  const bool has_names =
      level && *level < tree.parts().names.size() && !tree.parts().names[*level].empty();
  for (const JobRank& rank : ranks) {
    if (hosts.contains(rank.host)) continue;
    if (!has_names) {
      if (!hosts.empty()) {
        refuse(path, "ranks ran on " + hosts.begin()->first + " and on " + rank.host +
                         ", and the machine has no nodes with names");
      }
      hosts[rank.host] = {0, tree.leaves()};
      continue;
    }
    const auto node = node_named(tree, *level, rank.host);
    if (!node) refuse(path, "ranks ran on " + rank.host + ", which the machine does not have");
    hosts[rank.host] = tree.leaves_of(*level, *node);
  }
  return hosts;
}

std::vector<std::vector<std::int32_t>> in_order(std::size_t ranks, const MachineTree& tree,
                                                const std::string& path) {
  const auto usable = tree.usable_leaves();
  if (usable.size() < ranks) {
    refuse(path, "found " + std::to_string(ranks) + " simulated ranks, the machine has " +
                     std::to_string(usable.size()) + " leaves for them");
  }
  std::vector<std::vector<std::int32_t>> leaves;
  for (std::size_t r = 0; r < ranks; ++r) leaves.push_back({usable[r]});
  return leaves;
}

}  // namespace

std::vector<JobRank> read_job(const std::string& path) {
  const json summary = read_summary(path);
  const json entries = summary.value("ranks_detail", json::array());
  if (!entries.is_array() || entries.empty()) refuse(path, "found no ranks");
  const bool is_simulated = summary.value("simulated", json(false)) == true;
  std::map<std::int64_t, JobRank> by_rank;
  for (const json& entry : entries) {
    if (!entry.is_object() || !entry.contains("rank") || !entry["rank"].is_number_integer())
      refuse(path, "found a rank without its number");
    by_rank[entry["rank"].get<std::int64_t>()] = read_rank(entry, is_simulated, path);
  }
  const json count = summary.value("ranks", json());
  const auto size = static_cast<std::int64_t>(by_rank.size());
  if (count != size || by_rank.begin()->first != 0 || by_rank.rbegin()->first != size - 1) {
    refuse(path, "found " + std::to_string(size) + " of " + count.dump() + " ranks");
  }
  std::vector<JobRank> ranks;
  for (auto& [number, rank] : by_rank) ranks.push_back(std::move(rank));
  return ranks;
}

std::vector<std::vector<std::int32_t>> leaves_of(const std::vector<JobRank>& ranks,
                                                 const MachineTree& tree, const std::string& path) {
  if (std::ranges::all_of(ranks, [](const JobRank& rank) { return rank.host.empty(); }))
    return in_order(ranks.size(), tree, path);
  if (tree.parts().processors.empty())
    refuse(path, "the machine's description has no numbers of processors");
  std::vector<std::vector<std::int32_t>> all;
  for (const auto hosts = hosts_of(ranks, tree, path); const JobRank& rank : ranks) {
    const TreeRange host = hosts.at(rank.host);
    std::vector<std::int32_t>& leaves = all.emplace_back();
    for (std::int32_t leaf = host.first; leaf < host.last; ++leaf) {
      if (std::ranges::count(rank.processors, tree.processor(leaf).value_or(-1)) > 0)
        leaves.push_back(leaf);
    }
    const std::set<std::int32_t> different(rank.processors.begin(), rank.processors.end());
    if (leaves.size() < different.size() || leaves.empty()) {
      refuse(path, "rank " + std::to_string(all.size() - 1) +
                       " ran on processors that the machine does not have");
    }
  }
  return all;
}

}  // namespace roam_topology
