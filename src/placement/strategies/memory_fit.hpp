// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// Changes a placement so that every rank stays within graph.memory.limit_bytes, with ranks no
/// slower than in `placement` and few objects away from where they are now, as far as such a
/// placement is found. Does nothing if the placement is within the limit already. The objects of a
/// shared block may be split over ranks. A search with a fixed seed and a bounded number of steps.
[[nodiscard]] Placement fit_memory(const LoadGraph& graph, const Machine& machine,
                                   Placement placement);

}  // namespace roam::placement
