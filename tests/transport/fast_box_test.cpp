// SPDX-License-Identifier: Apache-2.0
#include "transport/fast_box.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "roam/core/random.hpp"

namespace roam::transport::fast_box_test {
namespace {

// The message with this number, which determines its length and contents.
std::vector<std::uint8_t> message(std::uint64_t number, std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(number * 7 + i);
  return data;
}
std::size_t length(std::uint64_t number) { return number * 37 % (FastBox::piece + 1); }
// Every third is longer than a slot.
std::size_t any_length(std::uint64_t number) {
  return number % 3 == 0 ? number * 937 % (FastBox::longest + 1) : length(number);
}

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
  // Continues beyond the numbers that the words can hold.
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
  box->taken = 1000;  // more than has been written: no free slot, and nothing is written elsewhere
  EXPECT_FALSE(write(writer, 0));
  EXPECT_FALSE(write(writer, 0));
  FastBoxReader reader(*box);
  box->ring[0].word = ~std::uint64_t{0};
  EXPECT_FALSE(reader.look());
  box->ring[0].word = FastBox::word_of(0, 0xffff, 5);
  ASSERT_TRUE(reader.look());
  EXPECT_GT(reader.bytes(), FastBox::longest);  // the caller has to refuse it
}

TEST(FastBox, A1_A2_long_messages_take_several_slots_and_are_read_as_they_come) {
  const auto box = std::make_unique<FastBox>();
  FastBoxWriter writer(*box);
  FastBoxReader reader(*box);
  core::Random random(2);
  std::uint64_t written = 0;
  std::vector<std::uint8_t> place(FastBox::longest);
  const auto try_write = [&] {
    const std::vector<std::uint8_t> data = message(written, any_length(written));
    if (!writer.write(static_cast<std::uint32_t>(written), data.data(), data.size())) return false;
    ++written;
    return true;
  };
  std::uint64_t read = 0;
  while (read < 20000) {
    for (std::uint64_t i = random.below(20); i > 0 && try_write(); --i) continue;
    for (std::uint64_t i = random.below(20); i > 0 && reader.look(); --i) {
      const std::vector<std::uint8_t> wanted = message(read, any_length(read));
      ASSERT_EQ(reader.bytes(), wanted.size()) << "message " << read;
      ASSERT_EQ(reader.before(), static_cast<std::uint32_t>(read));
      ASSERT_TRUE(reader.copy_to(reinterpret_cast<std::byte*>(place.data())));
      ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), place.begin())) << "message " << read;
      ++read;
    }
  }
}

TEST(FastBox, A3_a_long_message_waits_for_room_for_all_of_it) {
  const auto box = std::make_unique<FastBox>();
  FastBoxWriter writer(*box);
  FastBoxReader reader(*box);
  const std::vector<std::byte> data(FastBox::longest);
  for (std::uint64_t i = 0; i < FastBox::slots - 1; ++i) ASSERT_TRUE(write(writer, i));
  EXPECT_FALSE(writer.write(0, data.data(), FastBox::piece + 1));
  EXPECT_TRUE(writer.write(0, data.data(), FastBox::piece));
  for (std::uint64_t i = 0; i < FastBox::slots / 2; ++i) {
    ASSERT_TRUE(reader.look());
    reader.next();
  }
  EXPECT_TRUE(writer.write(0, data.data(), FastBox::longest));
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

TEST(FastBox, A2_long_messages_between_threads) {
  const auto box = std::make_unique<FastBox>();
  static constexpr std::uint64_t count = 20000;
  std::thread sender([&] {
    FastBoxWriter writer(*box);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::vector<std::uint8_t> data = message(i, any_length(i));
      while (!writer.write(0, data.data(), data.size())) std::this_thread::yield();
    }
  });
  FastBoxReader reader(*box);
  std::vector<std::uint8_t> place(FastBox::longest);
  std::uint64_t in_parts = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    while (!reader.look()) std::this_thread::yield();
    const std::vector<std::uint8_t> wanted = message(i, any_length(i));
    ASSERT_EQ(reader.bytes(), wanted.size()) << "message " << i;
    while (!reader.copy_to(reinterpret_cast<std::byte*>(place.data()))) {
      ++in_parts;
      while (!reader.look()) std::this_thread::yield();
    }
    ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), place.begin())) << "message " << i;
  }
  sender.join();
  EXPECT_FALSE(reader.look());
  RecordProperty("messages_read_in_parts", std::to_string(in_parts));
}

}  // namespace
}  // namespace roam::transport::fast_box_test
