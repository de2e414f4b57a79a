// SPDX-License-Identifier: Apache-2.0
#include "machine_groups.hpp"

#include <unordered_map>

namespace roam::offload {

MachineGroups groups_of(const Machine& machine) {
  MachineGroups groups;
  for (std::size_t level = 0; level + 1 < machine.network.size(); ++level) {
    const NetworkLevel& one = machine.network[level];
    std::vector<std::int32_t> group_of;
    for (std::int32_t rank = 0; rank < machine.ranks; ++rank) {
      const std::int32_t inside = level == 0 ? rank : groups.back()[Rank(rank).index()];
      group_of.push_back(one.parents.empty() ? rank / one.group_ranks
                                             : one.parents[static_cast<std::size_t>(inside)]);
    }
    groups.push_back(std::move(group_of));
  }
  return groups;
}

MachineGroups groups_of(std::span<const RankHost> hosts, std::size_t ranks) {
  if (hosts.size() != ranks) return {};
  std::unordered_map<std::uint64_t, std::int32_t> numbers;  // as they come
  std::vector<std::int32_t> group_of(ranks, -1);
  for (const RankHost& one : hosts) {
    if (one.host == 0) return {};
    const auto number = static_cast<std::int32_t>(numbers.size());
    group_of[Rank(one.rank).index()] = numbers.try_emplace(one.host, number).first->second;
  }
  for (const std::int32_t group : group_of)
    if (group < 0) return {};
  if (numbers.size() == 1 || numbers.size() == ranks) return {};
  return {std::move(group_of)};
}

}  // namespace roam::offload
