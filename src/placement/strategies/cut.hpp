// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// Local search: an object goes to a rank that it communicates with more, alone or in exchange for
/// an object there, if fewer bytes then cross ranks, or as many while less has to be moved.
/// `limit_seconds`: no rank that was within it exceeds it afterwards. `migration_weight`: bytes
/// across ranks that one byte to be moved counts as. Ends when nothing is gained, or after a number
/// of passes.
void reduce_cut(const LoadGraph& graph, const Machine& machine, double limit_seconds,
                double migration_weight, Placement& placement);

}  // namespace roam::placement
