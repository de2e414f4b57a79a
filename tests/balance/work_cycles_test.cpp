// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/work_cycles.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace roam::balance::work_cycles_test {
namespace {

RankLoad load_of(std::uint32_t running, std::uint32_t workers = 1) {
  RankLoad load;
  load.workers = workers;
  load.running = running;
  return load;
}

RankLoad described(const WorkCycles& cycles, double now) {
  RankLoad load;
  cycles.describe(load, from_seconds(now));
  return load;
}

/// In each second, `running` workers are busy for `busy` seconds. Ends when the last cycle begins.
void go_through(WorkCycles& cycles, int count, double busy, std::uint32_t running = 1,
                std::uint32_t workers = 1) {
  for (int i = 0; i < count; ++i) {
    cycles.watch(load_of(running, workers), from_seconds(i));
    cycles.watch(load_of(0, workers), from_seconds(i + busy));
  }
  cycles.watch(load_of(running, workers), from_seconds(count));
}

TEST(WorkCycles, there_are_none_at_first) {
  WorkCycles cycles;
  EXPECT_EQ(described(cycles, 1).cycle_seconds, 0);
  go_through(cycles, 1, 0.5);
  EXPECT_EQ(described(cycles, 1).cycle_seconds, 0);
  EXPECT_NEAR(described(cycles, 1).busy_part, 0.5, 1e-9);
}

TEST(WorkCycles, tells_how_long_they_last_and_how_busy_the_workers_are) {
  WorkCycles cycles;
  go_through(cycles, 10, 0.75);
  EXPECT_NEAR(described(cycles, 10.5).cycle_seconds, 1, 1e-9);
  EXPECT_NEAR(described(cycles, 10.5).busy_part, 0.75, 1e-9);
}

TEST(WorkCycles, idle_workers_count_while_others_work) {
  WorkCycles cycles;
  go_through(cycles, 10, 0.5, 3, 4);
  EXPECT_NEAR(described(cycles, 10.5).busy_part, 0.375, 1e-9);
}

TEST(WorkCycles, long_work_is_no_cycle) {
  WorkCycles cycles;
  go_through(cycles, 10, 0.5);
  EXPECT_GT(described(cycles, 13.9).cycle_seconds, 0);
  EXPECT_EQ(described(cycles, 14.1).cycle_seconds, 0);
}

TEST(WorkCycles, one_that_is_interrupted_says_nothing_of_the_next) {
  WorkCycles cycles;
  go_through(cycles, 10, 0.75);
  cycles.watch(load_of(0), from_seconds(10.2));  // and then idle for long
  cycles.watch(load_of(1), from_seconds(13));
  EXPECT_NEAR(described(cycles, 13).busy_part, 0.75, 1e-9);
  EXPECT_NEAR(described(cycles, 13).cycle_seconds, 1, 1e-9);
}

TEST(WorkCycles, tells_what_part_of_the_last_while_was_idle) {
  WorkCycles cycles;
  go_through(cycles, 10, 0.75);
  EXPECT_GE(described(cycles, 10).observed_seconds, 0.1);
  cycles.begin_observation();
  EXPECT_NEAR(described(cycles, 10).observed_seconds, 0, 1e-9);
  cycles.watch(load_of(0), from_seconds(10.01));
  cycles.watch(load_of(1), from_seconds(10.04));
  EXPECT_NEAR(described(cycles, 10.04).idle_part, 0.75, 1e-9);
}

TEST(WorkCycles, are_observed_anew_when_an_object_has_come_or_left) {
  WorkCycles cycles;
  go_through(cycles, 4, 0.75);
  EXPECT_NEAR(described(cycles, 4).cycles_observed_seconds, 4, 1e-9);
  cycles.begin_observation();
  for (int i = 4; i < 7; ++i) {
    EXPECT_NEAR(described(cycles, i).cycles_observed_seconds, std::max(0, i - 5), 1e-9);
    EXPECT_NEAR(described(cycles, i).busy_part, i < 6 ? 0.75 : 0.25, 1e-9);
    EXPECT_NEAR(described(cycles, i).cycle_seconds, 1, 1e-9);
    cycles.watch(load_of(0), from_seconds(i + 0.25));
    cycles.watch(load_of(1), from_seconds(i + 1));
  }
}

TEST(WorkCycles, are_not_those_of_little_messages) {
  WorkCycles cycles;
  for (int i = 0; i < 10; ++i) {
    cycles.watch(load_of(1), from_seconds(i));
    cycles.watch(load_of(0), from_seconds(i + 0.75));
    for (const double message : {0.8, 0.85, 0.9, 0.95}) {
      cycles.watch(load_of(1), from_seconds(i + message));
      cycles.watch(load_of(0), from_seconds(i + message + 0.001));
    }
  }
  cycles.watch(load_of(1), from_seconds(10));
  EXPECT_NEAR(described(cycles, 10).cycle_seconds, 1, 1e-9);
  EXPECT_NEAR(described(cycles, 10).busy_part, 0.754, 1e-9);
}

TEST(WorkCycles, follows_what_changes) {
  WorkCycles cycles;
  go_through(cycles, 40, 0.9);
  for (int i = 40; i < 80; ++i) {
    cycles.watch(load_of(0), from_seconds(i + 0.2));
    cycles.watch(load_of(1), from_seconds(i + 1));
  }
  EXPECT_NEAR(described(cycles, 80).busy_part, 0.2, 0.02);
}

}  // namespace
}  // namespace roam::balance::work_cycles_test
