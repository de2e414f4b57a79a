// SPDX-License-Identifier: Apache-2.0
// B2: a rank notices that it was interrupted.
#include "roam/balance/detail/interruptions.hpp"

#include <gtest/gtest.h>

namespace roam::balance::interruptions_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Makes `steps` steps and returns the time of the last.
Instant go_on(Interruptions& interruptions, Instant begin, int steps, Duration step) {
  Instant now = begin;
  for (int i = 0; i < steps; ++i) interruptions.made_progress(now += step);
  return now;
}

TEST(B2Interruptions, are_noticed_for_a_while) {
  Interruptions interruptions;
  Instant now = go_on(interruptions, std::chrono::seconds(1), 1000, microseconds(20));
  EXPECT_FALSE(interruptions.was_just(now));
  now = go_on(interruptions, now, 1, milliseconds(30));
  EXPECT_TRUE(interruptions.was_just(now));
  now = go_on(interruptions, now, 600, microseconds(20));
  EXPECT_FALSE(interruptions.was_just(now));
}

TEST(B2Interruptions, are_not_what_handlers_take_again_and_again) {
  Interruptions interruptions;
  Instant now = go_on(interruptions, std::chrono::seconds(1), 10, milliseconds(30));
  now = go_on(interruptions, now, 1, milliseconds(50));
  EXPECT_FALSE(interruptions.was_just(now));
}

TEST(B2Interruptions, are_calls_that_take_much_longer_than_their_like) {
  const Instant now = std::chrono::seconds(1);
  const auto is_one = [&](double taken, double usual) {
    Interruptions interruptions;
    interruptions.watch(taken, usual, now);
    return interruptions.was_just(now);
  };
  EXPECT_TRUE(is_one(0.02, 1e-4));
  EXPECT_FALSE(is_one(0.02, 1e-3));
  EXPECT_FALSE(is_one(0.004, 1e-6));
  EXPECT_FALSE(is_one(1, 1e-4));  // this long, it is work
}

TEST(B2Interruptions, count_for_some_of_their_time) {
  EXPECT_EQ(Interruptions::counted(0.05, 1e-5), 64e-5);
  EXPECT_EQ(Interruptions::counted(0.05, 1e-2), 0.05);
  EXPECT_EQ(Interruptions::counted(0.004, 1e-5), 0.004);
  EXPECT_EQ(Interruptions::counted(0.05, 0), 0.05);  // nothing is known yet
}

TEST(B2Interruptions, are_not_short) {
  Interruptions interruptions;
  Instant now = go_on(interruptions, std::chrono::seconds(1), 1000, microseconds(20));
  now = go_on(interruptions, now, 1, milliseconds(4));
  EXPECT_FALSE(interruptions.was_just(now));
}

}  // namespace
}  // namespace roam::balance::interruptions_test
