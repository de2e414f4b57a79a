// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/core/detail/text.hpp"
#include "roam/core/machine.hpp"

namespace roam {

MachineTree tree_of(const Machine& machine) {
  const auto ranks = static_cast<std::size_t>(machine.ranks);
  // For each level the group of each rank, from the ranks outwards.
  std::vector<std::vector<std::int32_t>> groups(1, std::vector<std::int32_t>(ranks));
  std::iota(groups[0].begin(), groups[0].end(), 0);
  for (const NetworkLevel& level : machine.network) {
    const bool is_outermost = &level == &machine.network.back();
    std::vector<std::int32_t> next(ranks, 0);
    for (std::size_t rank = 0; rank < ranks && !is_outermost; ++rank) {
      next[rank] = level.parents.empty()
                       ? static_cast<std::int32_t>(rank) / level.group_ranks
                       : level.parents[static_cast<std::size_t>(groups.back()[rank])];
    }
    groups.push_back(std::move(next));
  }
  MachineTreeParts parts;
  bool is_taken = false;
  for (auto level = machine.network.rbegin(); level != machine.network.rend(); ++level) {
    parts.levels.push_back({level->name});
    is_taken = is_taken || core::lower_case(level->name) == "rank";
  }
  parts.levels.push_back({is_taken ? "rank itself" : "rank"});
  for (std::size_t i = groups.size() - 1; i > 0; --i) {
    std::vector<std::int32_t> parents(static_cast<std::size_t>(groups[i - 1].back()) + 1);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      parents[static_cast<std::size_t>(groups[i - 1][rank])] = groups[i][rank];
    parts.parents.push_back(std::move(parents));
  }
  return MachineTree(std::move(parts), "machine");
}

}  // namespace roam
