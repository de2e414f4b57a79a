// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/talk_graph.hpp"

namespace roam::topology {

/// Groups of objects whose loads are to each other as `shares`, grown one after the other: a group
/// takes the object that talks most to what is in it, of several that which talks most to what has
/// been taken before. It starts where most is said to what has been taken, so that groups lie close
/// to those that are there and leave no gaps.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> grow_groups(const TalkGraph& graph,
                                                                  std::span<const double> shares,
                                                                  core::Random& random);

}  // namespace roam::topology
