// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/buffer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "roam/core/detail/buffer_pool.hpp"

namespace roam::core::buffer_test {
namespace {

std::string_view text(const Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

TEST(Buffer, without_a_block_is_empty_and_false) {
  const Buffer none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.capacity(), 0U);
  EXPECT_EQ(none.data(), nullptr);
  const Buffer empty = Buffer::allocate(0);
  EXPECT_TRUE(empty);
  EXPECT_EQ(empty.size(), 0U);
}

TEST(Buffer, is_aligned_to_16_bytes) {
  for (const std::size_t capacity : {1U, 17U, 100U, 4096U}) {
    const Buffer buffer = Buffer::allocate(capacity);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 16, 0U);
    EXPECT_GE(buffer.capacity(), capacity);
  }
}

TEST(Buffer, moving_hands_over_the_block) {
  Buffer a = Buffer::allocate(8);
  a.append("abc", 3);
  const std::byte* const place = a.data();
  Buffer b = std::move(a);
  EXPECT_FALSE(a);  // NOLINT(bugprone-use-after-move): what the test is about
  EXPECT_EQ(b.data(), place);
  Buffer c = Buffer::allocate(1);
  c = std::move(b);
  EXPECT_EQ(c.data(), place);
  EXPECT_EQ(text(c), "abc");
}

TEST(Buffer, append_grows_and_keeps_the_contents) {
  Buffer buffer;
  for (int i = 0; i < 1000; ++i) buffer.append("0123456789", 10);
  ASSERT_EQ(buffer.size(), 10000U);
  EXPECT_EQ(text(buffer).substr(9985), "567890123456789");
  buffer.append(nullptr, 0);
  EXPECT_EQ(buffer.size(), 10000U);
}

TEST(Buffer, reserve_leaves_the_pool_when_a_block_is_too_small) {
  const auto pool = BufferPool::create(16);
  Buffer buffer = pool->take();
  buffer.append("pooled", 6);
  buffer.reserve(100);
  EXPECT_EQ(text(buffer), "pooled");
  EXPECT_GE(buffer.capacity(), 100U);
  EXPECT_EQ(pool->blocks_in_use(), 0U);
}

TEST(Buffer, travels_as_a_queue_node_with_its_note) {
  Buffer buffer = Buffer::allocate(8);
  buffer.append("abc", 3);
  buffer.set_note(0x123456789abcdef0ULL);
  const std::byte* const place = buffer.data();
  MpscQueue queue;
  queue.push(buffer.release());
  EXPECT_FALSE(buffer);
  const Buffer back = Buffer::adopt(queue.pop());
  EXPECT_EQ(back.data(), place);
  EXPECT_EQ(back.note(), 0x123456789abcdef0ULL);
  EXPECT_EQ(text(back), "abc");
  EXPECT_EQ(Buffer().release(), nullptr);
}

struct Counting final : Lender {
  void take_back(std::span<std::byte> memory) noexcept override {
    returned = memory;
    ++times;
  }
  std::span<std::byte> returned;
  int times = 0;
};

TEST(Buffer, borrowed_memory_is_used_in_place_and_given_back_once) {
  std::array<std::byte, 100> memory{};
  Counting owner;
  {
    Buffer buffer = Buffer::borrow(std::span(memory), &owner);
    EXPECT_EQ(buffer.data(), memory.data());
    EXPECT_EQ(buffer.size(), memory.size());
    EXPECT_EQ(buffer.capacity(), memory.size());
    buffer.set_size(10);
    Buffer moved = std::move(buffer);
    moved = Buffer::adopt(moved.release());
    EXPECT_EQ(owner.times, 0);
  }
  EXPECT_EQ(owner.times, 1);
  EXPECT_EQ(owner.returned.data(), memory.data());
  EXPECT_EQ(owner.returned.size(), memory.size());
}

TEST(Buffer, borrowed_memory_that_is_outgrown_is_given_back) {
  std::array<std::byte, 4> memory{};
  std::memcpy(memory.data(), "abcd", 4);
  Counting owner;
  Buffer buffer = Buffer::borrow(std::span(memory), &owner);
  buffer.append("efgh", 4);
  EXPECT_EQ(owner.times, 1);
  EXPECT_EQ(text(buffer), "abcdefgh");
  EXPECT_NE(buffer.data(), memory.data());
}

TEST(Buffer, borrows_nothing_and_from_nobody) {
  const Buffer empty = Buffer::borrow(std::span<std::byte>(), nullptr);
  EXPECT_TRUE(empty);
  EXPECT_EQ(empty.size(), 0U);
}

}  // namespace
}  // namespace roam::core::buffer_test
