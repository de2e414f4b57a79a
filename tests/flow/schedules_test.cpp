// SPDX-License-Identifier: Apache-2.0
// Flow programs under thousands of schedules. What is checked: tests/flow/chaos_scenario.hpp.
#include <gtest/gtest.h>

#include "flow/chaos_scenario.hpp"
#include "sanitizers.hpp"

namespace roam::flow::schedules_test {

namespace {

TEST(FlowSchedules, F1_values_and_failures_are_those_of_the_serial_run) {
  testing::ExploreOptions options = chaos::explore_options();
  options.schedules = tests::has_sanitizer ? 300 : 3000;
  const testing::Report report = explore(options, chaos::make_scenario);
  EXPECT_TRUE(report.ok()) << report;
}

// Many short schedules beside the long ones above: 10,000 in all.
TEST(FlowSchedules, F1_small_programs_have_the_values_of_the_serial_run) {
  testing::ExploreOptions options = chaos::explore_options();
  options.ranks = {1, 2};
  options.workers = {1, 2};
  options.schedules = tests::has_sanitizer ? 300 : 7000;
  const testing::Report report = explore(options, chaos::make_small_scenario);
  EXPECT_TRUE(report.ok()) << report;
}

}  // namespace

}  // namespace roam::flow::schedules_test
