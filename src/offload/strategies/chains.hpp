// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// The reduced chains-on-chains problem (section 5): the tasks of all ranks form a chain, in the
/// order of ranks and all of one cost, which is cut into one piece per rank; lengths differ by one
/// at most. Tasks in another rank's piece are given to that rank, except those that a rank must not
/// give away.
[[nodiscard]] std::vector<Quota> cut_chain(std::span<const RankStep> ranks);

}  // namespace roam::offload
