// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// The placement, changed so that every rank stays within graph.memory.limit_bytes: with ranks no
/// slower than they are in `placement`, and few objects elsewhere than they are now, as far as such
/// a placement is found. Does nothing where it is within the limit already. Shared blocks move
/// whole or in part. A search with a fixed seed and a bounded number of steps.
[[nodiscard]] Placement fit_memory(const LoadGraph& graph, const Machine& machine,
                                   Placement placement);

}  // namespace roam::placement
