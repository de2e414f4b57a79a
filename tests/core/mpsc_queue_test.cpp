// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/mpsc_queue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace roam::core::mpsc_queue_test {
namespace {

struct Item : MpscNode {
  std::size_t producer = 0;
  std::size_t index = 0;
};

TEST(MpscQueue, is_first_in_first_out) {
  MpscQueue queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.pop(), nullptr);
  Item items[3];
  for (Item& item : items) queue.push(&item);
  EXPECT_FALSE(queue.empty());
  for (Item& item : items) EXPECT_EQ(queue.pop(), &item);
  EXPECT_EQ(queue.pop(), nullptr);
  EXPECT_TRUE(queue.empty());
}

TEST(MpscQueue, push_says_when_the_queue_was_empty) {
  MpscQueue queue;
  Item items[3];
  EXPECT_TRUE(queue.push(&items[0]));
  EXPECT_FALSE(queue.push(&items[1]));
  EXPECT_EQ(queue.pop(), &items[0]);
  EXPECT_EQ(queue.pop(), &items[1]);
  EXPECT_TRUE(queue.push(&items[2]));
  EXPECT_EQ(queue.pop(), &items[2]);
}

TEST(MpscQueue, nodes_may_be_pushed_again) {
  MpscQueue queue;
  Item a;
  Item b;
  queue.push(&a);
  for (int i = 0; i < 100; ++i) {
    queue.push(&b);
    EXPECT_EQ(queue.pop(), &a);
    queue.push(&a);
    EXPECT_EQ(queue.pop(), &b);
  }
}

TEST(MpscQueue, keeps_each_producers_order_and_loses_nothing) {
  constexpr std::size_t producers = 4;
  constexpr std::size_t per_producer = 20000;
  MpscQueue queue;
  std::vector<std::unique_ptr<Item[]>> items;
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < producers; ++p) {
    items.push_back(std::make_unique<Item[]>(per_producer));
    threads.emplace_back([&queue, p, mine = items.back().get()] {
      for (std::size_t i = 0; i < per_producer; ++i) {
        mine[i].producer = p;
        mine[i].index = i;
        queue.push(&mine[i]);
      }
    });
  }
  std::vector<std::size_t> next(producers);
  for (std::size_t got = 0; got < producers * per_producer;) {
    const auto* item = static_cast<Item*>(queue.pop());
    if (item == nullptr) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(item->index, next[item->producer]++);
    ++got;
  }
  EXPECT_TRUE(queue.empty());
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace roam::core::mpsc_queue_test
