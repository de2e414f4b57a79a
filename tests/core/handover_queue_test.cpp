// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/handover_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <iostream>
#include <thread>
#include <vector>

#include "roam/core/detail/buffer_pool.hpp"
#include "roam/core/random.hpp"

namespace roam::core::handover_queue_test {
namespace {

Buffer holding(std::uint64_t value) {
  Buffer buffer = Buffer::allocate(sizeof value);
  buffer.append(&value, sizeof value);
  return buffer;
}
std::uint64_t value_of(const Buffer& buffer) {
  std::uint64_t value = 0;
  EXPECT_EQ(buffer.size(), sizeof value);
  std::memcpy(&value, buffer.data(), sizeof value);
  return value;
}

TEST(HandoverQueue, is_first_in_first_out_and_tells_what_comes) {
  HandoverQueue queue;
  EXPECT_TRUE(queue.is_empty());
  EXPECT_FALSE(queue.front());
  std::array<const std::byte*, 3> places{};
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    Buffer buffer = holding(i);
    places[i] = buffer.data();
    queue.push(std::move(buffer), i << 40);
    EXPECT_FALSE(buffer);  // NOLINT(bugprone-use-after-move): what the test is about
  }
  EXPECT_FALSE(queue.is_empty());
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    const auto front = queue.front();
    ASSERT_TRUE(front);
    EXPECT_EQ(front->note, i << 40);
    EXPECT_EQ(front->bytes, sizeof i);
    const Buffer buffer = queue.take();
    EXPECT_EQ(buffer.data(), places[i]) << "not the block itself";
    EXPECT_EQ(value_of(buffer), i);
  }
  EXPECT_FALSE(queue.front());
  EXPECT_TRUE(queue.is_empty());
}

TEST(HandoverQueue, takes_any_block_any_number_of_times) {
  const auto pool = BufferPool::create(64);
  std::array<std::byte, 8> memory{};
  HandoverQueue there;
  HandoverQueue back;
  Buffer pooled = pool->take();
  Buffer heap = Buffer::allocate(100);
  Buffer borrowed = Buffer::borrow(std::span(memory), nullptr);
  for (int i = 0; i < 100; ++i) {
    for (Buffer* buffer : {&pooled, &heap, &borrowed}) there.push(std::move(*buffer), 1);
    while (there.front()) back.push(there.take(), 2);
    for (Buffer* buffer : {&pooled, &heap, &borrowed}) {
      ASSERT_TRUE(back.front());
      *buffer = back.take();
    }
  }
  EXPECT_EQ(borrowed.data(), memory.data());
  pooled.reset();
  EXPECT_EQ(pool->blocks_in_use(), 0U);
}

TEST(HandoverQueue, frees_what_nobody_has_taken) {
  const auto pool = BufferPool::create(64);
  {
    HandoverQueue queue;
    for (int i = 0; i < 3; ++i) queue.push(pool->take(), 0);
    queue.push(Buffer::allocate(10), 0);
    queue.take().reset();
  }
  EXPECT_EQ(pool->blocks_in_use(), 0U);
}

TEST(HandoverQueue, keeps_each_producers_order_and_loses_nothing) {
  constexpr std::uint64_t seed = 5;
  std::cout << "seed " << seed << std::endl;
  constexpr std::uint64_t producers = 4;
  constexpr std::uint64_t per_producer = 20000;
  HandoverQueue queue;
  std::vector<std::thread> threads;
  for (std::uint64_t p = 0; p < producers; ++p) {
    threads.emplace_back([&queue, p] {
      const auto pool = BufferPool::create(16);  // ends before its blocks have come back
      Random random(seed + p);
      for (std::uint64_t i = 0; i < per_producer; ++i) {
        Buffer buffer = random.below(10) == 0 ? Buffer::allocate(16) : pool->take();
        buffer.append(&i, sizeof i);
        queue.push(std::move(buffer), p);
      }
    });
  }
  std::array<std::uint64_t, producers> next{};
  for (std::uint64_t got = 0; got < producers * per_producer;) {
    const auto front = queue.front();
    if (!front) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(value_of(queue.take()), next.at(front->note)++);
    ++got;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(queue.is_empty());
}

// One thread pushes and then looks for a sleeper; another announces its sleep and then looks into
// the queue: at least one sees the other.
TEST(HandoverQueue, a_sleeper_and_a_producer_do_not_miss_each_other) {
  constexpr int rounds = 20000;
  HandoverQueue queue;
  std::atomic<int> round{0};
  std::atomic<int> done{0};
  std::atomic<bool> sleeps{false};
  bool saw_sleeper = false;
  std::thread producer([&] {
    for (int i = 1; i <= rounds; ++i) {
      while (round.load() != i) std::this_thread::yield();
      queue.push(holding(0), 0);
      saw_sleeper = sleeps.load(std::memory_order_seq_cst);
      done.store(i);
    }
  });
  for (int i = 1; i <= rounds; ++i) {
    sleeps.store(false);
    round.store(i);
    sleeps.store(true, std::memory_order_seq_cst);
    const bool saw_push = !queue.is_empty();
    while (done.load() != i) std::this_thread::yield();
    ASSERT_TRUE(saw_push || saw_sleeper) << "round " << i;
    ASSERT_TRUE(queue.front());
    queue.take().reset();
  }
  producer.join();
}

}  // namespace
}  // namespace roam::core::handover_queue_test
