// SPDX-License-Identifier: Apache-2.0
#include "transport/fast_box.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "roam/core/random.hpp"

namespace roam::transport::fast_box_test {
namespace {

// The message of this number: its length and contents follow from it.
std::vector<std::uint8_t> message(std::uint64_t number, std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(number * 7 + i);
  return data;
}
std::size_t length(std::uint64_t number) { return number * 37 % (FastBox::longest + 1); }

void expect_message(FastBoxReader& reader, std::uint64_t number) {
  const std::vector<std::uint8_t> wanted = message(number, length(number));
  ASSERT_EQ(reader.bytes(), wanted.size()) << "message " << number;
  EXPECT_EQ(std::memcmp(reader.data(), wanted.data(), wanted.size()), 0) << "message " << number;
  EXPECT_EQ(reader.before(), static_cast<std::uint32_t>(number / 3));
}
bool write(FastBoxWriter& writer, std::uint64_t number) {
  const std::vector<std::uint8_t> data = message(number, length(number));
  return writer.write(static_cast<std::uint32_t>(number / 3), data.data(), data.size());
}

TEST(FastBox, A1_A2_all_messages_in_order_over_many_laps) {
  const auto box = std::make_unique<FastBox>();
  FastBoxWriter writer(*box);
  FastBoxReader reader(*box);
  core::Random random(1);
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  // Past the numbers that the words can hold.
  while (read < 200000) {
    for (std::uint64_t i = random.below(FastBox::slots + 1); i > 0 && write(writer, written); --i)
      ++written;
    for (std::uint64_t i = random.below(FastBox::slots + 1); i > 0 && reader.look(); --i) {
      expect_message(reader, read++);
      reader.next();
    }
    ASSERT_LE(written - read, FastBox::slots);
  }
  while (reader.look()) expect_message(reader, read++), reader.next();
  EXPECT_EQ(read, written);
}

TEST(FastBox, A3_full_is_full_until_half_of_it_is_taken) {
  const auto box = std::make_unique<FastBox>();
  FastBoxWriter writer(*box);
  FastBoxReader reader(*box);
  EXPECT_FALSE(reader.look());
  for (std::uint64_t i = 0; i < FastBox::slots; ++i) ASSERT_TRUE(write(writer, i));
  EXPECT_FALSE(write(writer, FastBox::slots));
  for (std::uint64_t i = 0; i < FastBox::slots / 2; ++i) {
    EXPECT_FALSE(write(writer, FastBox::slots));
    ASSERT_TRUE(reader.look());
    expect_message(reader, i);
    reader.next();
  }
  EXPECT_TRUE(write(writer, FastBox::slots));
}

TEST(FastBox, A7_nonsense_from_the_other_process_is_harmless) {
  const auto box = std::make_unique<FastBox>();
  FastBoxWriter writer(*box);
  for (std::uint64_t i = 0; i < FastBox::slots; ++i) ASSERT_TRUE(write(writer, i));
  box->taken = 1000;  // more than has been written: no room, and no wild writes
  EXPECT_FALSE(write(writer, 0));
  EXPECT_FALSE(write(writer, 0));
  FastBoxReader reader(*box);
  box->ring[0].word = ~std::uint64_t{0};
  EXPECT_FALSE(reader.look());
  box->ring[0].word = FastBox::word_of(0, 0xffff, 5);
  ASSERT_TRUE(reader.look());
  EXPECT_GT(reader.bytes(), FastBox::longest);  // for the caller to refuse
}

TEST(FastBox, A2_between_threads) {
  const auto box = std::make_unique<FastBox>();
  static constexpr std::uint64_t count = 50000;
  std::thread sender([&] {
    FastBoxWriter writer(*box);
    for (std::uint64_t i = 0; i < count; ++i) {
      while (!write(writer, i)) std::this_thread::yield();
    }
  });
  FastBoxReader reader(*box);
  for (std::uint64_t i = 0; i < count; ++i) {
    while (!reader.look()) std::this_thread::yield();
    expect_message(reader, i);
    reader.next();
  }
  sender.join();
  EXPECT_FALSE(reader.look());
}

}  // namespace
}  // namespace roam::transport::fast_box_test
