// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "common.hpp"
#include "rank_work.hpp"
#include "roam/core/random.hpp"

namespace roam::placement {

/// Simulated annealing (Kirkpatrick et al. 1983): looks for a placement within the limit that
/// leaves more objects at home than `placement` does, and stores it in `placement` and `work`.
/// Overload and distance from home are weighed against each other during the search; a placement
/// over the limit never replaces one within it. `movable`: the objects that may move; `steps`:
/// number of changes tried.
void anneal(const LoadGraph& graph, std::span<const ObjectIndex> movable, RankWork& work,
            Placement& placement, std::uint64_t steps, core::Random& random);

}  // namespace roam::placement
