// SPDX-License-Identifier: Apache-2.0
// B3: what moves cost that a strategy orders together, and when a policy's strategies are asked
// where ranks wait for messages.
#include "balance/overlapping_moves.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "balance/decision_times.hpp"
#include "balance/wait_history.hpp"

namespace roam::balance::overlapping_moves_test {

namespace {

constexpr std::uint64_t megabyte = 1'000'000;

Decision moved(double when, double seconds, std::uint64_t bytes) {
  Decision decision;
  decision.when = Instant(0) + from_seconds(when);
  decision.move_seconds = seconds;
  decision.bytes = bytes;
  decision.outcome = Decision::Outcome::moved;
  return decision;
}

// Ten moves of 1 MB that begin together and take 10 ms one after the other.
TEST(OverlappingMoves, B3_cost_what_they_take_together) {
  std::vector<Decision> decisions;
  for (int i = 0; i < 10; ++i) decisions.push_back(moved(1, 0.01 * (i + 1), megabyte));
  placement::CostModel costs;
  for (int i = 0; i < 8; ++i) add_overlapping(costs, decisions, Instant(0) + from_seconds(1.1));
  EXPECT_NEAR(costs.move_seconds(megabyte), 0.01, 0.001);
  placement::CostModel one_by_one;
  for (int i = 0; i < 8; ++i) {
    for (const Decision& one : decisions) one_by_one.add(one.bytes, one.move_seconds);
  }
  EXPECT_GT(one_by_one.move_seconds(megabyte), 0.04);
}

// Moves before them, of policies and that have failed do not count.
TEST(OverlappingMoves, B3_are_counted_without_others) {
  std::vector<Decision> decisions{moved(1, 9, 1000 * megabyte), moved(20, 0.01, megabyte),
                                  moved(20, 0.02, megabyte), moved(20, 5, megabyte)};
  decisions[2].outcome = Decision::Outcome::refused;
  decisions[3].stay_seconds = 1;
  placement::CostModel costs;
  for (int i = 0; i < 8; ++i) add_overlapping(costs, decisions, Instant(0) + from_seconds(26));
  EXPECT_NEAR(costs.move_seconds(megabyte), 0.01, 0.001);
}

TEST(WaitingRanks, B2_move_objects_by_work_alone_only_if_work_is_what_they_wait_for) {
  WaitHistory waits;
  EXPECT_FALSE(waits.is_work_first(2, 1));
  EXPECT_TRUE(waits.is_work_first(2, 1));
  EXPECT_FALSE(waits.is_work_first(0.5, 1));
  EXPECT_FALSE(waits.is_work_first(2, 1));
}

// Each of many phases could gain a millisecond; asking takes four.
TEST(WaitingRanks, B2_ask_a_strategy_that_nobody_named_when_much_has_been_missed) {
  const DecisionTimes::Phase phase{.most_gain_seconds = 1e-3,
                                   .gain_by_work_seconds = 1e-4,
                                   .mean_seconds = 1e-2,
                                   .least_move_seconds = 1e-5,
                                   .asking_seconds = 4e-3};
  for (const double caution : {1.0, 16.0}) {
    DecisionTimes times;
    EXPECT_TRUE(times.may_be_due());
    std::uint32_t number = 0;
    DecisionTimes::Phase next = phase;
    next.caution = caution;
    while (!times.is_time(next)) next.number = ++number;
    EXPECT_NEAR(number, 4 * caution, 1) << caution;
    EXPECT_TRUE(times.may_be_due());
  }
  DecisionTimes times;
  DecisionTimes::Phase cautious = phase;
  cautious.caution = 16;
  EXPECT_FALSE(times.is_time(cautious));
  EXPECT_FALSE(times.may_be_due());
}

}  // namespace

}  // namespace roam::balance::overlapping_moves_test
