// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/scheduler.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <thread>

#include "roam/exec/detail/single_scheduler.hpp"
#include "roam/exec/detail/stealing_scheduler.hpp"

namespace roam::exec::scheduler_test {
namespace {

struct Item final : ReadyItem {
  void run(Context&) override {}
  std::atomic<int> popped{0};
};

TEST(StealingScheduler, gives_each_item_once) {
  StealingScheduler scheduler(3, 1);
  std::deque<Item> items(100);
  for (std::size_t i = 0; i < items.size(); ++i) {
    scheduler.push(static_cast<WorkerIndex>(i % 5), &items[i]);  // 3 and 4: from outside
  }
  std::set<ReadyItem*> seen;
  WorkerIndex worker = 0;
  while (ReadyItem* item = scheduler.pop(worker)) {
    EXPECT_TRUE(seen.insert(item).second);
    worker = (worker + 1) % 3;
  }
  EXPECT_EQ(seen.size(), items.size());
  for (WorkerIndex w = 0; w < 3; ++w) EXPECT_EQ(scheduler.pop(w), nullptr);
}

void expect_oldest_first_and_higher_priorities_before(Scheduler& scheduler) {
  std::deque<Item> items(9);
  const Priority order[] = {Priority::low, Priority::normal, Priority::high};
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].priority = order[i % 3];
    scheduler.push(0, &items[i]);
  }
  for (const std::size_t i : {2U, 5U, 8U, 1U, 4U, 7U, 0U, 3U, 6U}) {
    EXPECT_EQ(scheduler.pop(0), &items[i]) << i;
  }
  EXPECT_EQ(scheduler.pop(0), nullptr);
}

TEST(StealingScheduler, oldest_first_within_a_priority_and_higher_priorities_before) {
  StealingScheduler scheduler(1, 1);
  expect_oldest_first_and_higher_priorities_before(scheduler);
}

TEST(SingleScheduler, oldest_first_within_a_priority_and_higher_priorities_before) {
  SingleScheduler scheduler;
  expect_oldest_first_and_higher_priorities_before(scheduler);
}

TEST(StealingScheduler, an_idle_worker_steals_the_oldest_most_urgent_item) {
  StealingScheduler scheduler(2, 1);
  std::deque<Item> items(3);
  items[2].priority = Priority::high;
  for (Item& item : items) scheduler.push(0, &item);
  EXPECT_EQ(scheduler.pop(1), &items[2]);
  EXPECT_EQ(scheduler.pop(1), &items[0]);
  EXPECT_EQ(scheduler.pop(0), &items[1]);
}

// Two L3 caches with two workers each, on one package, and a worker of another package.
TEST(StealingScheduler, an_idle_worker_steals_from_near_workers_first) {
  const Victims victims{{{1}, {2, 3}, {4}},
                        {{0}, {2, 3}, {4}},
                        {{3}, {0, 1}, {4}},
                        {{2}, {0, 1}, {4}},
                        {{0, 1, 2, 3}}};
  int first_is_2 = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    StealingScheduler scheduler(5, seed, victims);
    std::deque<Item> items(5);
    for (WorkerIndex w = 1; w < 5; ++w) scheduler.push(w, &items[w]);
    EXPECT_EQ(scheduler.pop(0), &items[1]);
    const ReadyItem* const second = scheduler.pop(0);
    const ReadyItem* const third = scheduler.pop(0);
    EXPECT_TRUE((second == &items[2] && third == &items[3]) ||
                (second == &items[3] && third == &items[2]));
    first_is_2 += second == &items[2] ? 1 : 0;
    EXPECT_EQ(scheduler.pop(0), &items[4]);
    EXPECT_EQ(scheduler.pop(0), nullptr);
  }
  // Thieves spread over those that are equally near.
  EXPECT_GT(first_is_2, 5);
  EXPECT_LT(first_is_2, 35);
}

TEST(StealingScheduler, pushes_from_outside_go_round_the_workers) {
  StealingScheduler scheduler(2, 1);
  std::deque<Item> items(4);
  for (Item& item : items) scheduler.push(77, &item);
  // Own queue first: each worker finds two without stealing.
  EXPECT_EQ(scheduler.pop(0), &items[0]);
  EXPECT_EQ(scheduler.pop(0), &items[2]);
  EXPECT_EQ(scheduler.pop(1), &items[1]);
  EXPECT_EQ(scheduler.pop(1), &items[3]);
}

void expect_each_item_once_among_threads(const Victims& victims) {
  constexpr WorkerIndex workers = 4;
  constexpr std::size_t each = 10'000;
  StealingScheduler scheduler(workers, 7, victims);
  std::deque<Item> items(workers * each);
  std::atomic<std::size_t> popped{0};
  std::vector<std::thread> threads;
  for (WorkerIndex w = 0; w < workers; ++w) {
    threads.emplace_back([&, w] {
      const auto take = [&] {
        if (ReadyItem* item = scheduler.pop(w)) {
          static_cast<Item*>(item)->popped.fetch_add(1, std::memory_order_relaxed);
          popped.fetch_add(1);
          return true;
        }
        return false;
      };
      for (std::size_t i = 0; i < each; ++i) {
        // Worker 0 pushes most items, so that the others have to steal.
        scheduler.push(i % 4 == 0 ? w : 0, &items[w * each + i]);
        if (i % 2 == 0) take();
      }
      while (popped.load() < items.size()) {
        if (!take()) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Item& item : items) ASSERT_EQ(item.popped.load(), 1);
}

TEST(StealingScheduler, gives_each_item_once_among_threads) {
  expect_each_item_once_among_threads({});
  expect_each_item_once_among_threads({{{1}, {2, 3}}, {{0}, {2, 3}}, {{3}, {0, 1}}, {{2}, {0, 1}}});
}

}  // namespace
}  // namespace roam::exec::scheduler_test
