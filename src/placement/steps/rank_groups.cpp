// SPDX-License-Identifier: Apache-2.0
#include "rank_groups.hpp"

#include <algorithm>
#include <utility>

namespace roam::placement {

RankGroups::RankGroups(const Machine& machine, std::int32_t most_ranks)
    : most_ranks_(std::max(most_ranks, 1)) {
  const auto is_unequal = [](const NetworkLevel& level) { return !level.parents.empty(); };
  if (std::ranges::any_of(machine.network, is_unequal)) {
    cut(tree_of(machine), 0, 0);
  } else {
    cut_equal(machine, machine.network.size() - 1, {0, machine.ranks});
  }
  first_.push_back(machine.ranks);
}

std::int32_t RankGroups::group_of(std::int32_t rank) const {
  return static_cast<std::int32_t>(std::ranges::upper_bound(first_, rank) - first_.begin()) - 1;
}

/// `ranks`: those of one group of that level.
void RankGroups::cut_equal(const Machine& machine, std::size_t level, TreeRange ranks) {
  if (ranks.size() <= most_ranks_) {
    first_.push_back(ranks.first);
    return;
  }
  const std::int32_t inner = level == 0 ? 1 : machine.network[level - 1].group_ranks;
  const std::int32_t inner_groups = (ranks.size() + inner - 1) / inner;
  // Of about equal size: as few as can be, with whole inner groups in each.
  const std::int32_t most = std::max(most_ranks_ / inner, 1);
  const std::int32_t pieces = (inner_groups + most - 1) / most;
  for (std::int32_t piece = 0; piece < pieces; ++piece) {
    const auto begin = [&](std::int32_t k) {
      return ranks.first +
             static_cast<std::int32_t>(std::int64_t{inner_groups} * k / pieces) * inner;
    };
    const TreeRange part{begin(piece), std::min(begin(piece + 1), ranks.last)};
    if (inner > most_ranks_) {
      cut_equal(machine, level - 1, part);
    } else {
      first_.push_back(part.first);
    }
  }
}

void RankGroups::cut(const MachineTree& tree, std::size_t level, std::int32_t group) {
  const TreeRange all = tree.leaves_of(level, group);
  if (all.size() <= most_ranks_) {
    first_.push_back(all.first);
    return;
  }
  const TreeRange inner = tree.children(level, group);
  std::int32_t first = all.first;  // of those that are in no group yet
  for (std::int32_t child = inner.first; child < inner.last; ++child) {
    const TreeRange ranks = tree.leaves_of(level + 1, child);
    if (ranks.last - first <= most_ranks_) continue;
    if (first < ranks.first) first_.push_back(first);
    first = ranks.first;
    if (ranks.size() <= most_ranks_) continue;
    cut(tree, level + 1, child);
    first = ranks.last;
  }
  if (first < all.last) first_.push_back(first);
}

Machine machine_of_ranks(const Machine& machine, TreeRange ranks, std::vector<double> speeds) {
  Machine part = machine;
  part.ranks = ranks.size();
  part.workers_per_rank = 1;
  part.speeds = std::move(speeds);
  TreeRange groups = ranks;  // of the level inside
  for (std::size_t l = 0; l + 1 < part.network.size(); ++l) {
    NetworkLevel& level = part.network[l];
    if (level.parents.empty()) {
      const std::int32_t size = level.group_ranks;
      groups = {ranks.first / size, (ranks.last + size - 1) / size};
      continue;
    }
    const std::vector<std::int32_t>& all = machine.network[l].parents;
    level.parents.assign(all.begin() + groups.first, all.begin() + groups.last);
    const std::int32_t first = level.parents.front();
    groups = {first, level.parents.back() + 1};
    for (std::int32_t& parent : level.parents) parent -= first;
  }
  return part;
}

}  // namespace roam::placement
