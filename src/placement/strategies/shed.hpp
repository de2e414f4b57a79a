// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common.hpp"
#include "rank_work.hpp"
#include "roam/core/random.hpp"

namespace roam::placement {

/// Ranks above the limit give away the fewest objects that bring them below it, as far as other
/// ranks can take them. `lists`: the movable objects of each rank, largest first, where `placement`
/// has them. With `random` the choices vary. A rank that was within the limit stays within it. O(n
/// log n).
void shed(const LoadGraph& graph, const ObjectLists& lists, RankWork& work, Placement& placement,
          core::Random* random);

}  // namespace roam::placement
