// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace roam::placement {

/// The work of a group of ranks, in seconds, and the work that it does per second.
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

/// Plans flows after which no group has more than (1 + imbalance) times its share of all work;
/// groups with less than their share take up the rest. Groups form a tree of `arity`: work is
/// exchanged below the lowest node that can balance it. There are fewer flows than groups on each
/// level; they are sorted by `from`. O(groups * levels).
[[nodiscard]] std::vector<Flow> plan_flows(std::span<const GroupWork> groups, std::int32_t arity,
                                           double imbalance);

}  // namespace roam::placement
