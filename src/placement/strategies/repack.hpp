// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "common.hpp"
#include "rank_work.hpp"
#include "roam/core/random.hpp"

namespace roam::placement {

/// Places all movable objects anew, in the order given (largest first): at home if it fits there
/// below the limit, else where it fits most closely, else where most slack is left. Meant for
/// problems of few large objects, where no rank can take an object before others have given up
/// theirs. `work` contains only the work that does not move. With `random` the choices vary. O(n
/// log n).
void repack(const LoadGraph& graph, std::span<const ObjectIndex> order, RankWork& work,
            Placement& placement, core::Random* random);

}  // namespace roam::placement
