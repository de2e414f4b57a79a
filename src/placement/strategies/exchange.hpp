// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common.hpp"
#include "rank_work.hpp"
#include "roam/core/random.hpp"

namespace roam::placement {

/// Local search: objects of ranks above the limit are exchanged for smaller ones of ranks below it
/// (up to two for up to two), as long as that brings the overloaded rank closer to the limit and
/// the other stays within it. Ends when no exchange is found among the partners looked at.
/// `is_thorough`: the best exchange is looked for, not the first that suffices.
void exchange(const LoadGraph& graph, RankWork& work, Placement& placement, bool is_thorough,
              core::Random& random);

/// Undoes moves that turned out to be unnecessary: an object returns if its old rank can take it
/// within the limit.
void bring_home(const LoadGraph& graph, RankWork& work, Placement& placement);

}  // namespace roam::placement
