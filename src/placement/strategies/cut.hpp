// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// Local search: objects go to ranks that they talk to more, alone or against another one of that
/// rank, if fewer bytes cross ranks then, or as few while less is to be moved. `limit_seconds`: no
/// rank becomes slower than that which was not before. `migration_weight`: a byte to move counts as
/// so many bytes that cross ranks. Ends when nothing is gained, or after a number of passes.
void reduce_cut(const LoadGraph& graph, const Machine& machine, double limit_seconds,
                double migration_weight, Placement& placement);

}  // namespace roam::placement
