// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace roam::core::buffer_pool_test {
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
  b.reset();  // the pool is freed with it
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

// Makes the calling thread the pool's owner.
void own(BufferPool& pool) { pool.take().reset(); }

TEST(BufferPool, keeps_a_block_of_another_pool_while_it_has_few) {
  const auto theirs = BufferPool::create(64);
  const auto ours = BufferPool::create(64);
  own(*ours);
  const Buffer own_block = ours->take();
  Buffer message = theirs->take();
  const std::byte* const place = message.data();
  ours->recycle(std::move(message));
  EXPECT_EQ(theirs->blocks_in_use(), 0U) << "it counts as returned";
  EXPECT_EQ(ours->blocks_in_use(), 1U);
  const Buffer next = ours->take();
  EXPECT_EQ(next.data(), place);
  EXPECT_EQ(ours->blocks_in_use(), 2U);
  EXPECT_EQ(theirs->blocks_in_use(), 0U);
}

TEST(BufferPool, gives_back_the_blocks_it_does_not_want) {
  const auto theirs = BufferPool::create(64);
  const auto smaller = BufferPool::create(32);
  const auto ours = BufferPool::create(64);
  own(*ours);
  own(*theirs);
  ours->recycle(Buffer());
  ours->recycle(Buffer::allocate(64));
  ours->recycle(smaller->take());
  EXPECT_EQ(smaller->blocks_in_use(), 0U);
  std::vector<Buffer> many;
  std::vector<const std::byte*> places;
  for (int i = 0; i < 1000; ++i) {
    many.push_back(theirs->take());
    places.push_back(many.back().data());
  }
  for (Buffer& buffer : many) ours->recycle(std::move(buffer));
  EXPECT_EQ(theirs->blocks_in_use(), 0U);
  std::size_t came_back = 0;
  for (Buffer& buffer : many) {
    buffer = theirs->take();
    came_back += std::ranges::count(places, buffer.data()) > 0 ? 1U : 0U;
  }
  EXPECT_GT(came_back, 900U) << "messages that go one way only must not empty the sender's pool";
}

TEST(BufferPool, keeps_nothing_for_others_than_its_owner) {
  const auto theirs = BufferPool::create(64);
  const auto ours = BufferPool::create(64);
  const auto unowned = BufferPool::create(64, 100, BufferPool::Use::many_threads);
  own(*ours);
  Buffer message = theirs->take();
  const std::byte* const place = message.data();
  unowned->recycle(std::move(message));
  message = theirs->take();
  EXPECT_EQ(message.data(), place);
  std::thread([&] { ours->recycle(std::move(message)); }).join();
  EXPECT_EQ(theirs->take().data(), place);
}

// Requests go one way only. The block in which a request is sent stays at the receiver; that of the
// answer comes back.
TEST(BufferPool, does_not_drain_a_pool_whose_owner_gives_everything_back) {
  const auto asking = BufferPool::create(64);
  const auto answering = BufferPool::create(64);
  own(*answering);
  std::set<const std::byte*> blocks;
  std::thread([&] { own(*asking); }).join();
  for (int i = 0; i < 1000; ++i) {
    Buffer request;
    Buffer answer;
    std::thread([&] { request = asking->take(); }).join();
    answer = answering->take();
    blocks.insert({request.data(), answer.data()});
    answering->recycle(std::move(request));
    std::thread([&] { answer.reset(); }).join();
  }
  EXPECT_LT(blocks.size(), 50U);
}

TEST(BufferPool, what_the_owner_gives_back_others_can_take) {
  const auto pool = BufferPool::create(64);
  own(*pool);
  std::set<const std::byte*> blocks;
  for (int i = 0; i < 1000; ++i) {
    Buffer taken;
    std::thread([&] { taken = pool->take(); }).join();
    blocks.insert(taken.data());
    taken.reset();
  }
  EXPECT_LT(blocks.size(), 100U);
  EXPECT_EQ(pool->blocks_in_use(), 0U);
}

TEST(BufferPool, kept_blocks_outlive_the_pool_they_come_from) {
  const auto ours = BufferPool::create(64);
  own(*ours);
  auto theirs = BufferPool::create(64);
  Buffer first = theirs->take();
  Buffer second = theirs->take();
  ours->recycle(std::move(first));
  theirs.reset();
  ours->recycle(std::move(second));  // the other pool is freed with it
  const Buffer again = ours->take();
  std::memset(ours->take().data(), 1, 64);
}

// Does what a ping-pong does; one thread ends while its blocks are with the other.
TEST(BufferPool, two_threads_that_answer_each_other_share_blocks) {
  constexpr int rounds = 20000;
  auto pool_of_a = BufferPool::create(64);
  auto pool_of_b = BufferPool::create(64);
  MpscQueue to_a;
  MpscQueue to_b;
  const auto receive = [](MpscQueue& queue) {
    MpscNode* node = queue.pop();
    while (node == nullptr) {
      std::this_thread::yield();
      node = queue.pop();
    }
    return Buffer::adopt(node);
  };
  const auto send = [](MpscQueue& queue, BufferPool& pool, int value) {
    Buffer message = pool.take();
    message.append(&value, sizeof value);
    queue.push(message.release());
  };
  const auto check = [](const Buffer& message, int wanted) {
    int value = 0;
    ASSERT_EQ(message.size(), sizeof value);
    std::memcpy(&value, message.data(), sizeof value);
    EXPECT_EQ(value, wanted);
  };
  std::thread b([&] {
    for (int i = 0; i < rounds; ++i) {
      Buffer message = receive(to_b);
      check(message, i);
      send(to_a, *pool_of_b, -i);
      pool_of_b->recycle(std::move(message));
    }
  });
  for (int i = 0; i < rounds; ++i) {
    send(to_b, *pool_of_a, i);
    Buffer answer = receive(to_a);
    check(answer, -i);
    if (i % 3 == 0) continue;  // to the pool to which it belongs
    pool_of_a->recycle(std::move(answer));
  }
  b.join();
  EXPECT_EQ(pool_of_a->blocks_in_use(), 0U);
  EXPECT_EQ(pool_of_b->blocks_in_use(), 0U);
}

}  // namespace
}  // namespace roam::core::buffer_pool_test
