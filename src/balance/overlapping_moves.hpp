// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "roam/balance/load.hpp"
#include "roam/core/types.hpp"
#include "roam/placement/detail/cost_model.hpp"

namespace roam::balance {

/// Whether a strategy has decided it: objects that strategies move are handed over one after the
/// other, each in a message of its own.
[[nodiscard]] bool is_by_strategy(const Decision& decision);

/// Tells the cost model what the last moves by a strategy have cost, now that the last one is over.
/// Those that are under way at the same time wait for each other, so that their times from
/// hand-over to answer add up to much more than all of them take: each is given a part of the whole
/// time, in proportion to its size. `decisions`: those of this rank, in order.
void add_overlapping(placement::CostModel& costs, const std::vector<Decision>& decisions,
                     Instant now);

}  // namespace roam::balance
