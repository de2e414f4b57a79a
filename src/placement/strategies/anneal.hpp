// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "common.hpp"
#include "rank_work.hpp"
#include "roam/core/random.hpp"

namespace roam::placement {

/// Simulated annealing (Kirkpatrick et al. 1983) over placements: looks for one within the limit
/// that leaves more objects at home than `placement` does, and puts it there with its work. What it
/// costs to be over the limit and to be away from home is weighed as it goes; a placement over the
/// limit never replaces one within it. `movable`: the objects that may move; `steps`: changes
/// tried.
void anneal(const LoadGraph& graph, std::span<const ObjectIndex> movable, RankWork& work,
            Placement& placement, std::uint64_t steps, core::Random& random);

}  // namespace roam::placement
