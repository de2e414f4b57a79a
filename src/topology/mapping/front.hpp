// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam::topology {

/// Grows groups of objects, one after the other, whose loads are in the ratio of `shares`. A group
/// always takes the object that communicates most with it; among several, the one that communicates
/// most with what has been taken before. A group starts where the communication with what has been
/// taken is greatest, so that groups are adjacent to existing ones and leave no gaps.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> grow_groups(const CommunicationGraph& graph,
                                                                  std::span<const double> shares,
                                                                  core::Random& random);

}  // namespace roam::topology
