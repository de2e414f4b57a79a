// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/large_blocks.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace large_blocks_test {

using roam::core::Buffer;
using roam::core::LargeBlocks;

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

TEST(LargeBlocks, are_at_most_a_quarter_larger_than_asked_for) {
  for (std::size_t bytes = 1; bytes <= LargeBlocks::largest; bytes += bytes / 7 + 1) {
    const auto blocks = LargeBlocks::create();
    Buffer buffer = blocks->take(bytes);
    EXPECT_EQ(buffer.size(), 0U);
    EXPECT_GE(buffer.capacity(), bytes);
    EXPECT_LE(buffer.capacity(), std::max(bytes + bytes / 4, LargeBlocks::smallest));
    EXPECT_EQ(blocks->bytes_in_use(), buffer.capacity());
    buffer.data()[0] = buffer.data()[buffer.capacity() - 1] = std::byte{1};
    buffer.reset();
    EXPECT_EQ(blocks->bytes_in_use(), 0U);
  }
}

TEST(LargeBlocks, do_not_overlap) {
  const auto blocks = LargeBlocks::create();
  std::vector<Buffer> buffers;
  for (std::size_t bytes = 16 * kib; bytes <= 3 * mib; bytes += bytes / 5) {
    for (int i = 0; i < 3; ++i) {
      buffers.push_back(blocks->take(bytes));
      std::memset(buffers.back().data(), static_cast<int>(buffers.size()),
                  buffers.back().capacity());
    }
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    for (const std::size_t at : {std::size_t{0}, buffers[i].capacity() - 1})
      ASSERT_EQ(static_cast<std::size_t>(buffers[i].data()[at]), i + 1);
  }
}

TEST(LargeBlocks, the_one_used_last_is_taken_first) {
  const auto blocks = LargeBlocks::create();
  Buffer one = blocks->take(100 * kib);
  Buffer other = blocks->take(100 * kib);
  const std::byte* const memory = other.data();
  one.reset();
  other.reset();
  EXPECT_EQ(blocks->take(100 * kib).data(), memory);
  EXPECT_EQ(blocks->take(30 * kib).data(), memory);  // a larger one is preferred to a new one
}

TEST(LargeBlocks, those_left_to_the_program_do_not_count_and_come_back) {
  const auto blocks = LargeBlocks::create();
  std::vector<Buffer> kept;
  std::vector<const std::byte*> memory;
  for (int i = 0; i < 100; ++i) {  // more than messages may have
    kept.push_back(blocks->take(mib));
    memory.push_back(kept.back().data());
    std::memset(kept.back().data(), i, mib);
    EXPECT_EQ(blocks->bytes_in_use(), mib);
    kept.back().leave_to_program();
    EXPECT_EQ(blocks->bytes_in_use(), 0U);
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(kept[i].data()[mib - 1]), i);
  kept.clear();
  EXPECT_EQ(blocks->bytes_in_use(), 0U);
  EXPECT_EQ(blocks->take(mib).data(), memory.back());
}

TEST(LargeBlocks, what_the_program_gives_back_beyond_a_limit_goes_to_the_system_and_is_used_again) {
  const auto blocks = LargeBlocks::create();
  for (int round = 0; round < 2; ++round) {
    std::vector<Buffer> kept;
    for (int i = 0; i < 200; ++i) {
      Buffer& buffer = kept.emplace_back(blocks->take(mib));
      ASSERT_EQ(buffer.capacity(), mib);
      // Pages that were returned to the system are zero again; the others are unchanged.
      const auto first = static_cast<int>(buffer.data()[0]);
      EXPECT_TRUE(round == 0 || first == 0 || first == 7);
      std::memset(buffer.data(), 7, mib);
      buffer.leave_to_program();
    }
    int released = 0;
    std::vector<std::byte*> all;
    for (Buffer& buffer : kept) all.push_back(buffer.data());
    kept.clear();
    // The blocks still exist, and this test may look at them.
    for (const std::byte* block : all) released += static_cast<int>(block[0]) == 0 ? 1 : 0;
    EXPECT_GE(released, 60);
    EXPECT_LE(released, 80);
  }
}

TEST(LargeBlocks, outlive_the_handle_with_the_program_too) {
  auto blocks = LargeBlocks::create();
  Buffer buffer = blocks->take(mib);
  Buffer kept = blocks->take(mib);
  kept.leave_to_program();
  blocks.reset();
  std::memset(kept.data(), 1, mib);
  buffer.reset();
  kept.reset();
}

// Blocks of the heap are exactly as large as asked for.
TEST(LargeBlocks, beyond_what_may_be_kept_come_from_the_heap_each_time_and_count) {
  constexpr std::size_t bytes = 900 * kib;
  const auto blocks = LargeBlocks::create();
  for (int round = 0; round < 2; ++round) {
    std::vector<Buffer> buffers;
    std::size_t in_use = 0;
    int from_heap = 0;
    for (int i = 0; i < 80; ++i) {
      buffers.push_back(blocks->take(bytes));
      in_use += buffers.back().capacity();
      from_heap += buffers.back().capacity() == bytes ? 1 : 0;
    }
    EXPECT_EQ(from_heap, 80 - 64);
    EXPECT_EQ(blocks->bytes_in_use(), in_use);
    for (Buffer& buffer : buffers) buffer.leave_to_program();
    EXPECT_EQ(blocks->bytes_in_use(), 0U);
    buffers.clear();
    EXPECT_EQ(blocks->bytes_in_use(), 0U);
  }
}

}  // namespace

}  // namespace large_blocks_test
