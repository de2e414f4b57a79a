// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/testing/explore.hpp"

namespace roam::balance::topology_chaos {

/// A ring of cells of random work, in random places on random nodes, under the strategy topology in
/// groups of ranks, while messages arrive late. Checks after each phase that every cell is there
/// once, that those and no others have moved which are reported, that no move failed, and that no
/// rank has more work than the limit, or than some rank had before.
[[nodiscard]] testing::Scenario make_scenario(testing::Schedule& schedule);
/// The options of such schedules.
[[nodiscard]] testing::ExploreOptions explore_options();

}  // namespace roam::balance::topology_chaos
