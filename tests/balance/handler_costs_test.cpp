// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/handler_costs.hpp"

#include <gtest/gtest.h>

namespace roam::balance::handler_costs_test {
namespace {

TEST(HandlerCosts, knows_nothing_at_first) {
  HandlerCosts costs;
  mobile::Record record;
  EXPECT_LT(costs.estimate(7, 1, record), 0);
  costs.measured(7, 0, 1, record);  // a weight of 0 gives no information
  EXPECT_LT(costs.estimate(7, 1, record), 0);
}

TEST(HandlerCosts, tells_handlers_apart) {
  HandlerCosts costs;
  mobile::Record record;
  for (int i = 0; i < 100; ++i) {
    costs.measured(7, 2, 4, record);
    costs.measured(7 + 512, 1, 1e-6, record);  // the entry beside it in the table
  }
  const mobile::Record other;
  EXPECT_NEAR(costs.estimate(7, 3, other), 6, 1e-5);
  EXPECT_NEAR(costs.estimate(7 + 512, 1, other), 1e-6, 1e-11);
  EXPECT_LT(costs.estimate(8, 1, other), 0);
}

TEST(HandlerCosts, tells_objects_apart) {
  HandlerCosts costs;
  mobile::Record light;
  mobile::Record heavy;
  for (int i = 0; i < 200; ++i) {
    costs.measured(7, 1, 0.1, light);
    costs.measured(7, 1, 0.9, heavy);
  }
  EXPECT_NEAR(costs.estimate(7, 1, light), 0.1, 0.01);
  EXPECT_NEAR(costs.estimate(7, 1, heavy), 0.9, 0.03);
}

TEST(HandlerCosts, follows_what_changes) {
  HandlerCosts costs;
  mobile::Record record;
  for (int i = 0; i < 1000; ++i) costs.measured(7, 1, 5, record);
  for (int i = 0; i < 1000; ++i) costs.measured(7, 1, 1, record);
  EXPECT_NEAR(costs.estimate(7, 1, record), 1, 0.01);
}

TEST(HandlerCosts, one_interrupted_call_counts_for_little) {
  HandlerCosts costs;
  mobile::Record interrupted;
  const mobile::Record other;
  for (int i = 0; i < 1000; ++i) costs.measured(7, 1, 1e-5, interrupted);
  costs.measured(7, 1, 0.05, interrupted);
  EXPECT_LE(costs.estimate(7, 1, other), 2.1e-5);
  // The cost has changed permanently.
  for (int i = 0; i < 400; ++i) costs.measured(7, 1, 0.05, interrupted);
  EXPECT_NEAR(costs.estimate(7, 1, other), 0.05, 0.001);
}

TEST(HandlerCosts, has_room_for_many_handlers_and_does_without_more) {
  HandlerCosts costs;
  mobile::Record record;
  int known = 0;
  for (std::uint32_t handler = 0; handler < 2000; ++handler) {
    costs.measured(handler * 2654435761U, 1, 1, record);
    known += costs.estimate(handler * 2654435761U, 1, record) >= 0 ? 1 : 0;
  }
  EXPECT_EQ(known, 512);
}

}  // namespace
}  // namespace roam::balance::handler_costs_test
