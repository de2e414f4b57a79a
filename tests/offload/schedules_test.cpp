// SPDX-License-Identifier: Apache-2.0
// The life of offloaded tasks under thousands of schedules: sent, computed, returned, sent back,
// recalled, computed twice. What is checked: tests/offload/chaos_scenario.hpp.
#include <gtest/gtest.h>

#include "offload/chaos_scenario.hpp"
#include "sanitizers.hpp"

namespace roam::offload {

namespace {

TEST(OffloadSchedules, each_task_has_one_completion_with_the_same_bits) {
  testing::ExploreOptions options = chaos::explore_options();
  options.schedules = tests::has_sanitizer ? 500 : 5000;
  const testing::Report report = explore(options, chaos::make_scenario);
  EXPECT_TRUE(report.ok()) << report;
}

}  // namespace

}  // namespace roam::offload
