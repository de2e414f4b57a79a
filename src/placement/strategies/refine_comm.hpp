// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "refine.hpp"
#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// The strategy of that name: like refine(), but overloaded ranks first give away the objects that
/// communicate least with their own, to the rank they communicate with most. Never slower than the
/// placement it starts from.
[[nodiscard]] Placement refine_comm(const LoadGraph& graph, const Machine& machine,
                                    const RefineSettings& settings);

}  // namespace roam::placement
