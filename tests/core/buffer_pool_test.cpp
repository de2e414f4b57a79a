// SPDX-License-Identifier: Apache-2.0
#include "roam/core/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace roam::core {
namespace {

TEST(BufferPool, reuses_what_came_back) {
  const auto pool = BufferPool::create(64);
  Buffer first = pool->take();
  EXPECT_EQ(first.size(), 0U);
  EXPECT_EQ(first.capacity(), 64U);
  const std::byte* const place = first.data();
  first.set_size(10);
  first.reset();
  const Buffer second = pool->take();
  EXPECT_EQ(second.data(), place);
  EXPECT_EQ(second.size(), 0U) << "a reused block starts empty";
}

TEST(BufferPool, what_does_not_fit_comes_from_the_heap) {
  const auto pool = BufferPool::create(64);
  const Buffer fits = pool->take(64);
  const Buffer large = pool->take(65);
  EXPECT_GE(large.capacity(), 65U);
  EXPECT_EQ(pool->blocks_in_use(), 1U);
}

TEST(BufferPool, keeps_no_more_than_it_may) {
  const auto pool = BufferPool::create(64, 2);
  std::vector<Buffer> taken;
  for (int i = 0; i < 10; ++i) taken.push_back(pool->take());
  EXPECT_EQ(pool->blocks_in_use(), 10U);
  taken.clear();  // the address sanitizer would see the other eight leak
  EXPECT_EQ(pool->blocks_in_use(), 0U);
}

TEST(BufferPool, blocks_outlive_the_handle) {
  auto pool = BufferPool::create(64);
  Buffer a = pool->take();
  Buffer b = pool->take();
  pool.reset();
  std::memset(a.data(), 1, 64);
  a.reset();
  std::memset(b.data(), 2, 64);
  b.reset();  // the pool goes with it
}

TEST(BufferPool, blocks_taken_by_one_thread_come_back_from_others) {
  const auto pool = BufferPool::create(32, 100);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::vector<Buffer> held;
      for (int i = 0; i < 5000; ++i) {
        held.push_back(pool->take());
        std::memset(held.back().data(), i & 255, 32);
        if (held.size() == 50)
          std::thread([old = std::move(held)]() mutable { old.clear(); }).join();
        if (held.capacity() == 0) held.reserve(50);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool->blocks_in_use(), 0U);
}

}  // namespace
}  // namespace roam::core
