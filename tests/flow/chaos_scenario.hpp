// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/testing/explore.hpp"

namespace roam::flow::chaos {

/// Random flow programs (random_program.hpp) - tasks of all kinds, nested and failing ones, small
/// windows, several Flows one after the other - on each rank. Checks that values and failures are
/// those of the same program run line by line, and that nothing is left.
[[nodiscard]] testing::Scenario make_scenario(testing::Schedule& schedule);
/// The same with one program of a few tasks, which takes a fifth of the time.
[[nodiscard]] testing::Scenario make_small_scenario(testing::Schedule& schedule);
/// The options of such schedules.
[[nodiscard]] testing::ExploreOptions explore_options();

}  // namespace roam::flow::chaos
