// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/backoff.hpp"

#include <gtest/gtest.h>

namespace roam::exec {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

const Backoff::Options usual{.spin = microseconds(30), .longest = microseconds(500)};
constexpr Instant start = milliseconds(7);

TEST(Backoff, polls_at_first_without_a_pause) {
  Backoff backoff(usual);
  EXPECT_TRUE(backoff.keep_spinning(start));
  EXPECT_TRUE(backoff.keep_spinning(start + microseconds(30)));
  EXPECT_TRUE(backoff.keep_spinning(start + microseconds(120)));
  EXPECT_FALSE(backoff.keep_spinning(start + microseconds(121)));
  EXPECT_EQ(backoff.next_sleep(start + microseconds(121)), microseconds(20));
}

TEST(Backoff, what_comes_is_noticed_late_by_a_small_part_of_the_wait) {
  Backoff backoff(usual);
  EXPECT_TRUE(backoff.keep_spinning(start));
  Instant now = start + microseconds(121);
  int looks = 0;
  for (; now < start + milliseconds(20); ++looks) {
    ASSERT_FALSE(backoff.keep_spinning(now));
    const Duration sleep = backoff.next_sleep(now);
    EXPECT_LE(sleep, std::max(microseconds(20),
                              std::chrono::duration_cast<microseconds>(now - start) / 6));
    EXPECT_GE(sleep, microseconds(20));
    EXPECT_LE(sleep, microseconds(500));
    now += sleep;
  }
  EXPECT_LT(looks, 80);  // 40 would be the least
}

TEST(Backoff, begins_anew_when_something_was_found) {
  Backoff backoff(usual);
  EXPECT_TRUE(backoff.keep_spinning(start));
  EXPECT_FALSE(backoff.keep_spinning(start + milliseconds(10)));
  EXPECT_EQ(backoff.next_sleep(start + milliseconds(10)), microseconds(500));
  backoff.reset();
  EXPECT_TRUE(backoff.keep_spinning(start + milliseconds(11)));
  EXPECT_FALSE(backoff.keep_spinning(start + milliseconds(11) + microseconds(200)));
  EXPECT_EQ(backoff.next_sleep(start + milliseconds(11) + microseconds(200)), microseconds(25));
}

TEST(Backoff, polls_while_what_was_sent_may_be_under_way) {
  std::size_t unsent = 100'000;  // 0.4 ms at most
  Backoff backoff({.spin = microseconds(30), .longest = microseconds(500), .unsent_bytes = [&] {
                     return unsent;
                   }});
  EXPECT_TRUE(backoff.keep_spinning(start));
  EXPECT_TRUE(backoff.keep_spinning(start + microseconds(399)));
  EXPECT_FALSE(backoff.keep_spinning(start + microseconds(520)));
  backoff.reset();
  unsent = 0;
  EXPECT_TRUE(backoff.keep_spinning(start));
  EXPECT_FALSE(backoff.keep_spinning(start + microseconds(399)));
}

}  // namespace
}  // namespace roam::exec
