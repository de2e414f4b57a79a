// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// The reduced chains-on-chains problem (section 5): the tasks of all ranks in a chain, in the
/// order of ranks, all of one cost, cut into one piece per rank whose lengths differ by one at
/// most. What lies in another rank's piece is given to that rank; each rank keeps what it must.
[[nodiscard]] std::vector<Quota> cut_chain(std::span<const RankStep> ranks);

}  // namespace roam::offload
