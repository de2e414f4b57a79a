// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/talk_graph.hpp"

namespace roam::topology {

/// What the two sides of a graph shall have, and may have at most.
struct SideLoads {
  std::array<double, 2> target;
  std::array<double, 2> most;
};

/// The side, 0 or 1, of each object so that little is said between the sides: multilevel bisection
/// (Karypis and Kumar 1995; Pellegrini 1996) with greedy growing on the smallest graph and
/// Fiduccia-Mattheyses passes on all. The best of `runs` runs; the loads come as near to their
/// limits as objects allow.
[[nodiscard]] std::vector<std::uint8_t> bisect(const TalkGraph& graph, const SideLoads& loads,
                                               int runs, core::Random& random);

}  // namespace roam::topology
