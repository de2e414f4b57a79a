// SPDX-License-Identifier: Apache-2.0
// The strategy topology decided in groups of ranks, in simulated jobs.
#include <gtest/gtest.h>

#include "balance/topology_scenario.hpp"

namespace roam::balance {
namespace {

TEST(TopologyInGroups, moves_each_object_once_however_late_messages_are) {
  testing::ExploreOptions options = topology_chaos::explore_options();
  options.schedules = 60;
  const testing::Report report = explore(options, topology_chaos::make_scenario);
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_GT(report.totals().migrations, 200U);
}

}  // namespace
}  // namespace roam::balance
