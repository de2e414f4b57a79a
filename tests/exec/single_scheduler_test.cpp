// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/single_scheduler.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

namespace roam::exec::single_scheduler_test {
namespace {

constexpr WorkerIndex outside = 2;

struct Item final : ReadyItem {
  void run(Context&) override {}
  int popped = 0;
  std::size_t number = 0;
};

TEST(SingleScheduler, keeps_the_order_of_pushes_from_inside_and_outside) {
  SingleScheduler scheduler;
  std::deque<Item> items(6);
  scheduler.push(outside, &items[0]);
  scheduler.push(0, &items[1]);
  scheduler.push(outside, &items[2]);
  EXPECT_EQ(scheduler.pop(0), &items[0]);
  scheduler.push(outside, &items[3]);
  items[4].priority = Priority::high;
  scheduler.push(outside, &items[4]);
  scheduler.push(0, &items[5]);
  for (const std::size_t i : {4U, 1U, 2U, 3U, 5U}) EXPECT_EQ(scheduler.pop(0), &items[i]) << i;
}

TEST(SingleScheduler, counts_what_is_to_be_had) {
  SingleScheduler scheduler;
  const ReadyCounts& counts = scheduler.ready_counts();
  std::deque<Item> items(4);
  for (std::size_t i = 0; i < items.size(); ++i) {
    scheduler.push(i % 2 == 0 ? 0 : outside, &items[i]);
    EXPECT_EQ(counts.all(), i + 1);
  }
  for (std::size_t left = items.size(); left > 0; --left) {
    EXPECT_EQ(counts.all(), left);
    EXPECT_NE(scheduler.pop(0), nullptr);
  }
  EXPECT_EQ(counts.all(), 0U);
}

// The worker pushes and pops; others push. Each item comes out once, those of one thread in order.
TEST(SingleScheduler, gives_each_item_once_among_threads) {
  constexpr std::size_t others = 3;
  constexpr std::size_t each = 20'000;
  SingleScheduler scheduler;
  const ReadyCounts& counts = scheduler.ready_counts();
  std::vector<std::deque<Item>> items(others + 1);
  for (std::deque<Item>& of_one : items) {
    of_one.resize(each);
    for (std::size_t i = 0; i < each; ++i) of_one[i].number = i;
  }
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < others; ++t) {
    threads.emplace_back([&, t] {
      for (Item& item : items[t]) scheduler.push(outside, &item);
    });
  }
  std::vector<std::size_t> next(others + 1, 0);
  std::size_t popped = 0;
  std::size_t pushed = 0;
  while (popped < (others + 1) * each) {
    if (pushed < each) scheduler.push(0, &items[others][pushed++]);
    if (counts.all() == 0) {
      std::this_thread::yield();
      continue;
    }
    auto* const item = static_cast<Item*>(scheduler.pop(0));
    ASSERT_NE(item, nullptr);
    ASSERT_EQ(++item->popped, 1);
    std::size_t source = 0;
    while (&items[source][item->number] != item) ++source;
    ASSERT_EQ(item->number, next[source]++);
    ++popped;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(scheduler.pop(0), nullptr);
}

}  // namespace
}  // namespace roam::exec::single_scheduler_test
