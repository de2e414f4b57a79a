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

/// Takes out of the members' lists what fills the flows (all from this group) best without
/// exceeding them: again and again the largest object that fits from the member that has most to
/// do. One list per flow. O(objects log objects).
[[nodiscard]] std::vector<std::vector<ObjectNote>> give_away(std::span<Member> members,
                                                             std::span<const Flow> flows);

}  // namespace roam::placement
