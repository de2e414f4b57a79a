// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/testing/explore.hpp"

namespace roam::offload::chaos {

/// Tasks of all kinds - awaited, continued, dropped, failing, short and long, small and large, in
/// epochs, of functions and of objects that move - with quotas that change, victims that fall
/// silent, helpers that are lost and memory that is full. Checks that each has one completion with
/// the right bits, that no quota is overrun, that what has to stay stays, and that nothing is
/// rejected.
[[nodiscard]] testing::Scenario make_scenario(testing::Schedule& schedule);
/// The options of such schedules.
[[nodiscard]] testing::ExploreOptions explore_options();

}  // namespace roam::offload::chaos
