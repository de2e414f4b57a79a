// SPDX-License-Identifier: Apache-2.0
#include "shared_link_times.hpp"

#include <algorithm>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::placement {

namespace {

double seconds_per_byte(double bytes_per_second) {
  return bytes_per_second > 0 ? 1 / bytes_per_second : 0;
}

bool shares(const NetworkLevel& level) {
  return level.shared_bandwidth_bytes_per_second > 0 || level.uplink_bandwidth_bytes_per_second > 0;
}

}  // namespace

SharedLinkTimes::SharedLinkTimes(const Machine& machine) : machine_(machine) {
  if (std::ranges::none_of(machine.network, shares)) return;
  const MachineTree tree = tree_of(machine);
  for (std::size_t l = 0; l < machine.network.size(); ++l) {
    const NetworkLevel& described = machine.network[l];
    const std::size_t tree_level = machine.network.size() - 1 - l;
    Level level;
    for (std::int32_t rank = 0; rank < machine.ranks; ++rank)
      level.group_of.push_back(tree.ancestor(rank, tree_level));
    const auto groups = static_cast<std::size_t>(tree.groups(tree_level));
    level.inside_per_byte = seconds_per_byte(described.shared_bandwidth_bytes_per_second);
    level.uplinks_per_byte =
        seconds_per_byte(described.uplinks * described.uplink_bandwidth_bytes_per_second);
    level.inside_seconds.resize(groups);
    level.uplink_seconds.resize(groups);
    levels_.push_back(std::move(level));
  }
}

void SharedLinkTimes::add(std::int32_t a, std::int32_t b, double bytes) {
  if (levels_.empty() || a == b) return;
  const std::size_t meeting = machine_.level_between(Rank(a), Rank(b));
  add_outside(a, meeting, bytes);
  add_outside(b, meeting, bytes);
  Level& level = levels_[meeting];
  const std::int32_t group = level.group_of[static_cast<std::size_t>(a)];
  level.inside_seconds[static_cast<std::size_t>(group)] += bytes * level.inside_per_byte;
}

void SharedLinkTimes::add_outside(std::int32_t rank, std::size_t level, double bytes) {
  for (std::size_t l = 0; l < std::min(level, levels_.size()); ++l) {
    Level& inside = levels_[l];
    const std::int32_t group = inside.group_of[static_cast<std::size_t>(rank)];
    inside.uplink_seconds[static_cast<std::size_t>(group)] += bytes / 2 * inside.uplinks_per_byte;
  }
}

double SharedLinkTimes::max_seconds() const {
  double longest = 0;
  for (const Level& level : levels_) {
    longest = std::max(
        {longest, std::ranges::max(level.inside_seconds), std::ranges::max(level.uplink_seconds)});
  }
  return longest;
}

}  // namespace roam::placement
