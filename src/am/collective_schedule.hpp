// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "roam/am/detail/collective_call.hpp"

namespace roam::am {

/// What `rank` of `size` does in a collective, in order. No rank sends another more than one
/// message in one collective, so the sender of a message determines the step that it is for. `root`
/// is 0 where the kind has none.
///
/// All take ceil(log2(size)) rounds, the least latency that messages between pairs allow (one more
/// for a reduce to another root than 0, and for an allreduce of a number of ranks that is no power
/// of two). Long vectors would gain from algorithms that split them (scatter and allgather, R.
/// Rabenseifner's reduce-scatter; Thakur, Rabenseifner, Gropp, "Optimization of collective
/// communication operations in MPICH", 2005, sections 4.2 to 4.5). Those need values that can be
/// cut into pieces, but here any serialisable value is allowed.
[[nodiscard]] std::vector<CollectiveStep> collective_schedule(CollectiveKind kind, Rank rank,
                                                              std::int32_t size, Rank root);

}  // namespace roam::am
