// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "testing/chaos_scenario.hpp"

namespace roam::testing {
namespace {

Report explore_chaos(std::uint64_t schedules, ExploreOptions options = {}) {
  options.schedules = schedules;
  return explore(options,
                 [](Schedule& schedule) { return chaos::make_scenario(schedule, chaos::Size{}); });
}

TEST(Explore, TheProtocolHoldsInThousandsOfSchedules) {
  const Report report = explore_chaos(3000);
  EXPECT_TRUE(report.ok()) << report;
  std::ostringstream text;
  text << report;
  std::puts(text.str().c_str());
}

}  // namespace
}  // namespace roam::testing
