// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/sim_windows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "roam/core/random.hpp"

namespace roam::exec::sim_windows_test {
namespace {

constexpr std::int64_t width = 100;

SimEvent at(std::int64_t when, std::uint64_t order, std::uint32_t engine) {
  return {when, order, engine, 0, 0};
}

/// Takes all events, in the order of turns, calling happen(event) for each.
template <class Happen>
std::vector<SimEvent> take_all(SimWindows& windows, Happen&& happen) {
  std::vector<SimEvent> all;
  SimEvent event{};
  while (windows.next_turn()) {
    while (windows.take(event)) {
      EXPECT_EQ(event.engine, windows.engine());
      all.push_back(event);
      happen(event);
    }
  }
  return all;
}

void nothing(const SimEvent& /*event*/) {}

TEST(SimWindows, engines_take_turns_window_by_window) {
  core::Random random(5);
  SimWindows windows(Duration{width});
  std::vector<SimEvent> added;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    // Some windows are full, and some far apart.
    const auto when = static_cast<std::int64_t>(random.below(10) * 1'000'000 + random.below(1000));
    added.push_back(at(when, i, static_cast<std::uint32_t>(random.below(50))));
    windows.add(added.back());
  }
  const std::vector<SimEvent> taken = take_all(windows, nothing);
  const auto key = [](const SimEvent& e) {
    return std::tuple(e.when / width, e.engine, e.when, e.order);
  };
  std::ranges::sort(added, {}, key);
  EXPECT_TRUE(std::ranges::equal(taken, added, {}, key, key));
}

TEST(SimWindows, what_an_engine_adds_in_its_turn_is_part_of_it) {
  SimWindows windows(Duration{width});
  windows.add(at(10, 0, 1));
  windows.add(at(90, 1, 1));
  windows.add(at(5, 2, 2));
  const std::vector<SimEvent> taken = take_all(windows, [&](const SimEvent& e) {
    if (e.when == 10) {
      windows.add(at(20, 3, 1));
      windows.add(at(90, 4, 1));
      windows.add(at(100, 5, 1));  // the next window
    }
  });
  std::vector<std::pair<std::int64_t, std::uint64_t>> seen;
  for (const SimEvent& event : taken) seen.emplace_back(event.when, event.order);
  const std::vector<std::pair<std::int64_t, std::uint64_t>> wanted{{10, 0}, {20, 3}, {90, 1},
                                                                   {90, 4}, {5, 2},  {100, 5}};
  EXPECT_EQ(seen, wanted);
}

TEST(SimWindows, what_comes_too_soon_for_another_happens_at_the_windows_end) {
  SimWindows windows(Duration{width});
  windows.add(at(50, 0, 1));
  windows.add(at(60, 1, 2));
  const std::vector<SimEvent> taken = take_all(windows, [&](const SimEvent& e) {
    if (e.engine == 2 && e.when == 60) windows.add(at(70, 2, 1));  // whose turn is over
  });
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[2].when, width);
  EXPECT_EQ(taken[2].engine, 1U);
}

TEST(SimWindows, says_whose_turn_is_next) {
  SimWindows windows(Duration{width});
  EXPECT_FALSE(windows.next_turn());
  windows.add(at(10, 0, 7));
  windows.add(at(20, 1, 3));
  windows.add(at(30, 2, 3));
  windows.add(at(40, 3, 9));
  windows.add(at(15, 4, 7));
  ASSERT_TRUE(windows.next_turn());
  EXPECT_EQ(windows.engine(), 3U);
  EXPECT_EQ(windows.engine_after(1), 7U);
  EXPECT_EQ(windows.engine_after(2), 9U) << "not the engine's second event";
  EXPECT_EQ(windows.engine_after(3), SimWindows::none);
  SimEvent event{};
  while (windows.take(event)) {
  }
  ASSERT_TRUE(windows.next_turn());
  EXPECT_EQ(windows.engine(), 7U);
  EXPECT_EQ(windows.engine_after(1), 9U);
  EXPECT_EQ(windows.engine_after(2), SimWindows::none) << "nobody's";
}

TEST(SimWindows, says_in_whose_turn_something_arrives) {
  SimWindows windows(Duration{width});
  SimEvent arrival = at(50, 0, 2);
  arrival.slot = SimEvent::arrival_slot;
  windows.add(arrival);
  windows.add(at(60, 1, 2));
  windows.add(at(10, 2, 1));
  windows.add(at(20, 3, 3));
  windows.add(at(width + 10, 4, 2));
  windows.add(at(width + 10, 5, 1));
  ASSERT_TRUE(windows.next_turn());
  EXPECT_TRUE(windows.has_arrival(2));
  EXPECT_FALSE(windows.has_arrival(3));
  SimEvent event{};
  for (int turn = 0; turn < 3; ++turn) {
    while (windows.take(event)) {
    }
    ASSERT_TRUE(windows.next_turn());
  }
  EXPECT_EQ(windows.engine_after(1), 2U);
  EXPECT_FALSE(windows.has_arrival(2)) << "in the second window";
}

}  // namespace
}  // namespace roam::exec::sim_windows_test
