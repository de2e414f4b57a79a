// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace roam::placement {

/// The work of a group of ranks, seconds, and what it gets done per second.
struct GroupWork {
  double seconds = 0;
  double capacity = 1;
};

/// Work that one group gives to another.
struct Flow {
  std::int32_t from = 0;
  std::int32_t to = 0;
  double seconds = 0;
};

/// Flows after which no group has more than (1 + imbalance) times its share of all work, those with
/// less take it up. Groups form a tree of `arity`: what can stay below a node does, the rest goes
/// up. Fewer flows than groups at each level; sorted by `from`. O(groups * levels).
[[nodiscard]] std::vector<Flow> plan_flows(std::span<const GroupWork> groups, std::int32_t arity,
                                           double imbalance);

}  // namespace roam::placement
