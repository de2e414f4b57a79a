// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "flows.hpp"
#include "roam/placement/distributed.hpp"

namespace roam::placement {

/// A rank of a group, as its leader knows it.
struct Member {
  double capacity = 1;
  double fixed_seconds = 0;
  std::vector<ObjectNote> objects;
};

/// Takes objects out of the members' lists that fill the flows (all from this group) as well as
/// possible without exceeding them: repeatedly, from the member that has most to do, the largest
/// object that fits. Returns one list per flow. O(objects log objects).
[[nodiscard]] std::vector<std::vector<ObjectNote>> give_away(std::span<Member> members,
                                                             std::span<const Flow> flows);

}  // namespace roam::placement
