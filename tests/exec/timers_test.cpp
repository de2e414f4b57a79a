// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/timers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace roam::exec::timers_test {
namespace {

using ::testing::ElementsAre;

TEST(Timers, run_what_is_due_earliest_first_and_ties_in_order) {
  Timers timers;
  std::vector<int> ran;
  const auto note = [&ran](int i) { return [&ran, i] { ran.push_back(i); }; };
  EXPECT_EQ(timers.next_due(), never);
  timers.add(Instant(30), note(3));
  timers.add(Instant(10), note(1));
  timers.add(Instant(20), note(20));
  timers.add(Instant(20), note(21));
  timers.add(Instant(20), note(22));
  EXPECT_EQ(timers.next_due(), Instant(10));
  EXPECT_EQ(timers.run_due(Instant(9)), 0U);
  EXPECT_EQ(timers.run_due(Instant(20)), 4U);
  EXPECT_THAT(ran, ElementsAre(1, 20, 21, 22));
  EXPECT_EQ(timers.next_due(), Instant(30));
  EXPECT_EQ(timers.run_due(Instant(100)), 1U);
  EXPECT_EQ(timers.next_due(), never);
}

TEST(Timers, actions_may_add_timers) {
  Timers timers;
  int ran = 0;
  timers.add(Instant(1), [&] {
    ++ran;
    timers.add(Instant(2), [&] { ++ran; });
    timers.add(Instant(9), [&] { ++ran; });
  });
  EXPECT_EQ(timers.run_due(Instant(5)), 2U);
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(timers.next_due(), Instant(9));
}

TEST(Timers, are_added_from_any_thread) {
  Timers timers;
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) timers.add(Instant(i), [&ran] { ++ran; });
    });
  }
  std::size_t done = 0;
  while (done < 4000) done += timers.run_due(Instant(1000));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran.load(), 4000);
}

}  // namespace
}  // namespace roam::exec::timers_test
