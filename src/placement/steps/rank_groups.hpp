// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/core/machine.hpp"

namespace roam::placement {

/// Cuts the ranks of a machine into groups of consecutive ranks: subtrees of the machine's tree, or
/// several that are next to each other in the same larger one. So any rank of one group meets any
/// rank of another on the same level of the network.
class RankGroups {
 public:
  /// Groups have at most `most_ranks` ranks, at least 1. O(groups) if all groups of the network's
  /// levels are equal, else O(ranks x levels).
  RankGroups(const Machine& machine, std::int32_t most_ranks);

  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(first_.size()) - 1; }
  [[nodiscard]] TreeRange ranks_of(std::int32_t group) const {
    const std::int32_t* first = first_.data() + group;
    return {first[0], first[1]};
  }
  /// O(log groups).
  [[nodiscard]] std::int32_t group_of(std::int32_t rank) const;

 private:
  void cut_equal(const Machine& machine, std::size_t level, TreeRange ranks);
  void cut(const MachineTree& tree, std::size_t level, std::int32_t group);

  const std::int32_t most_ranks_;
  std::vector<std::int32_t> first_;  // of each group its first rank; at the end, all ranks
};

/// A machine that consists of some consecutive ranks of another one, with the levels of its
/// network. `speeds`: those of its ranks, which count as one worker each.
[[nodiscard]] Machine machine_of_ranks(const Machine& machine, TreeRange ranks,
                                       std::vector<double> speeds);

}  // namespace roam::placement
