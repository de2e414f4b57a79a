// SPDX-License-Identifier: Apache-2.0
// B2: how often a busy rank looks at its loads.
#include "roam/balance/detail/look_pace.hpp"

#include <gtest/gtest.h>

namespace roam::balance::look_pace_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Looks whenever it may for `time`, each look taking `took`; returns the number of looks.
int looks_in(LookPace& pace, Instant begin, Duration time, Duration took) {
  int looks = 0;
  for (Instant now = begin; now < begin + time; now = std::max(now + took, pace.next_by_time())) {
    pace.looked(now, took);
    ++looks;
  }
  return looks;
}

TEST(B2LookPace, looks_by_time_take_a_part_of_it) {
  LookPace pace;
  const int looks = looks_in(pace, std::chrono::seconds(1), milliseconds(256), microseconds(1));
  EXPECT_GE(looks, 1000);
  EXPECT_LE(looks, 1000 + LookPace::most_together);
}

TEST(B2LookPace, some_may_come_together_after_a_while_without_any) {
  LookPace pace;
  Instant now = std::chrono::seconds(1);
  for (int i = 0; i < LookPace::most_together; ++i) {
    EXPECT_LE(pace.next_by_time(), now) << i;
    pace.looked(now, microseconds(1));
    now += microseconds(1);
  }
  EXPECT_GT(pace.next_by_time(), now + microseconds(200));
}

TEST(B2LookPace, where_looks_take_no_time_as_in_virtual_time_nothing_waits_for_them) {
  LookPace pace;
  for (Instant now = milliseconds(1); now < milliseconds(2); now += microseconds(1)) {
    EXPECT_LE(pace.next_by_time(), now);
    pace.looked(now, Duration::zero());
    EXPECT_EQ(pace.next_by_change(), now + LookPace::shortest_wait);
  }
}

TEST(B2LookPace, an_interrupted_look_delays_the_next_for_a_little_only) {
  LookPace pace;
  pace.looked(std::chrono::seconds(1), milliseconds(50));
  EXPECT_LE(pace.next_by_time(), std::chrono::seconds(1) + LookPace::longest_wait);
  EXPECT_EQ(pace.next_by_change(), std::chrono::seconds(1) + LookPace::longest_wait);
}

}  // namespace
}  // namespace roam::balance::look_pace_test
