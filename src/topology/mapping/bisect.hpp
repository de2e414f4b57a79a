// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam::topology {

/// The target loads of the two sides of a graph, and their limits.
struct SideLoads {
  std::array<double, 2> target;
  std::array<double, 2> most;
};

/// Gives each object a side, 0 or 1, so that the sides communicate little: multilevel bisection
/// (Karypis and Kumar 1995; Pellegrini 1996) with greedy growing on the smallest graph and
/// Fiduccia-Mattheyses passes on all. Returns the best of `runs` runs. Loads beyond the limits are
/// reduced as far as the objects allow.
[[nodiscard]] std::vector<std::uint8_t> bisect(const CommunicationGraph& graph,
                                               const SideLoads& loads, int runs,
                                               core::Random& random);

}  // namespace roam::topology
