// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "roam/am/detail/collective_call.hpp"

namespace roam::am {

/// What `rank` of `size` does in a collective, in order. No rank sends another more than one
/// message in one collective, so the sender of a message says which step it is for. `root` is 0
/// where the kind has none.
///
/// All take ceil(log2(size)) rounds, the best that messages between pairs can do for latency
/// (reduce to another root than 0: one more; allreduce of a number that is no power of two: one
/// more). Long vectors would gain from algorithms that split them (scatter and allgather, R.
/// Rabenseifner's reduce-scatter; Thakur, Rabenseifner, Gropp, "Optimization of collective
/// communication operations in MPICH", 2005, sections 4.2 to 4.5): they need values that can be cut
/// into pieces, and values here are whatever can be serialised.
[[nodiscard]] std::vector<CollectiveStep> collective_schedule(CollectiveKind kind, Rank rank,
                                                              std::int32_t size, Rank root);

}  // namespace roam::am
