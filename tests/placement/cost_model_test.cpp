// SPDX-License-Identifier: Apache-2.0
// B3: the cost of moves is learnt from those that have ended.
#include "roam/placement/detail/cost_model.hpp"

#include <gtest/gtest.h>

namespace roam::placement::cost_model_test {
namespace {

TEST(B3CostModel, learns_latency_and_bandwidth_from_migrations) {
  CostModel costs;
  EXPECT_GT(costs.move_seconds(0), 0);
  for (std::uint64_t i = 0; i < 400; ++i) {
    const std::uint64_t bytes = 1000 * (1 + i % 50);
    costs.add(bytes, 1e-3 + static_cast<double>(bytes) * 1e-8);
  }
  EXPECT_NEAR(costs.round_trip_seconds(), 1e-3, 2e-5);
  EXPECT_NEAR(costs.move_seconds(1'000'000), 1e-3 + 1e-2, 2e-4);
}

TEST(B3CostModel, learns_what_further_objects_of_a_message_cost) {
  CostModel costs;
  EXPECT_LT(costs.extra_seconds(100), costs.move_seconds(100));
  for (std::uint32_t i = 0; i < 400; ++i) {
    const std::uint32_t objects = 1 + i % 60 * 8;
    costs.add(objects, std::uint64_t{200} * objects, 50e-6 + 4e-6 * (objects - 1));
  }
  EXPECT_NEAR(costs.round_trip_seconds(), 50e-6, 20e-6);
  EXPECT_NEAR(costs.extra_seconds(200), 4e-6, 1e-6);
}

TEST(B3CostModel, an_answer_corrects_the_guess_before_anything_has_moved) {
  CostModel costs;
  const double guess = costs.move_seconds(100);
  costs.add_round_trip(2e-6);
  costs.add_round_trip(1e-3);  // the rank that answered was busy
  EXPECT_LT(costs.move_seconds(100), guess / 2);
  EXPECT_LT(costs.round_trip_seconds(), 20e-6);
  // The guess of 4 KiB is replaced as soon as the size of an object is known.
  const double of_average = costs.move_seconds(0);
  costs.add_size(100);
  EXPECT_LT(costs.move_seconds(0), of_average / 2);
}

TEST(B3CostModel, one_size_tells_nothing_of_the_bandwidth_and_breaks_nothing) {
  CostModel costs;
  for (int i = 0; i < 1000; ++i) costs.add(4096, 5e-6);
  EXPECT_NEAR(costs.move_seconds(4096), 5e-6, 2e-6);
  EXPECT_GE(costs.move_seconds(1 << 20), costs.move_seconds(4096));
}

}  // namespace
}  // namespace roam::placement::cost_model_test
