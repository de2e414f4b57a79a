// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leaf_index.hpp"
#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/talk_graph.hpp"

namespace roam::topology {

/// A leaf for each object by cutting the graph along the tree, from the root down, groups of one
/// level in halves of halves (Pellegrini 1994; SharedMap 2025). `limits` says what each leaf may
/// get; what is over is spread evenly over the cuts that are still to come.
[[nodiscard]] std::vector<std::uint32_t> multisection(const TalkGraph& graph,
                                                      const LeafIndex& index,
                                                      std::span<const double> limits, int runs,
                                                      core::Random& random);

/// Same, but the groups of the outermost level are grown one after the other (grow_groups): good
/// where these hold few objects and fit together like bricks.
[[nodiscard]] std::vector<std::uint32_t> grow_along_front(const TalkGraph& graph,
                                                          const LeafIndex& index,
                                                          std::span<const double> limits, int runs,
                                                          core::Random& random);

}  // namespace roam::topology
