// SPDX-License-Identifier: Apache-2.0
#include "roam/core/serialise.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace roam::core::serialise_test {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Counted {
  int* copies = nullptr;
  int value = 0;
  Counted() = default;
  explicit Counted(int* count) : copies(count) {}
  Counted(const Counted& other) : copies(other.copies), value(other.value) { ++*copies; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

TEST(Serialise, vectors_of_bytes_and_enums_are_their_length_and_their_bytes) {
  Packer packer(Buffer::allocate(64));
  pack(packer, std::vector<std::byte>(3, std::byte{7}), std::vector<Colour>{Colour::green});
  EXPECT_EQ(packer.size(), 8U + 3U + 8U + 1U);
  const Buffer buffer = packer.take();
  Unpacker bytes(buffer.bytes());
  EXPECT_EQ(unpack<std::vector<std::byte>>(bytes), std::vector<std::byte>(3, std::byte{7}));
  EXPECT_EQ(unpack<std::vector<Colour>>(bytes), std::vector<Colour>{Colour::green});
}

struct Deadline {
  std::string of;
  std::chrono::nanoseconds left{0};
  template <class Archive>
  void serialize(Archive& archive) {
    archive(of, left);
  }
};

TEST(Serialise, times_are_the_numbers_of_their_ticks) {
  using std::chrono::milliseconds;
  using Moment = std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<float>>;
  static_assert(is_plain_tuple<std::tuple<milliseconds, Moment>>);
  Packer packer(Buffer::allocate(64));
  pack(packer, milliseconds(3), Moment(std::chrono::duration<float>(2.5F)),
       std::vector<milliseconds>{milliseconds(4)});
  pack(packer, Deadline{"x", milliseconds(5)});  // by an archive
  const Buffer buffer = packer.take();
  Unpacker bytes(buffer.bytes());
  EXPECT_EQ(unpack<milliseconds::rep>(bytes), 3);
  EXPECT_EQ(unpack<Moment>(bytes).time_since_epoch().count(), 2.5F);
  EXPECT_EQ(unpack<std::vector<milliseconds>>(bytes), std::vector<milliseconds>{milliseconds(4)});
  EXPECT_EQ(unpack<Deadline>(bytes).left, milliseconds(5));
  EXPECT_EQ(bytes.remaining(), 0U);
}

TEST(Serialise, what_is_counted_is_as_long_as_what_is_packed) {
  const std::vector<std::string> texts{"one", "two"};  // by an archive
  Packer packer(Buffer::allocate(64));
  pack(packer, std::vector<double>(1000), texts, std::uint8_t{1});
  Packer counting = Packer::counting();
  pack(counting, std::vector<double>(1000), texts, std::uint8_t{1});
  const Packer moved = std::move(counting);
  EXPECT_EQ(moved.counted(), packer.size());
  EXPECT_EQ(moved.size(), 0U);
}

TEST(Serialise, a_vector_of_bytes_that_announces_too_many_is_malformed) {
  Packer packer(Buffer::allocate(64));
  pack(packer, std::uint64_t{1} << 40, std::uint8_t{1});
  const Buffer buffer = packer.take();
  Unpacker bytes(buffer.bytes());
  EXPECT_THROW(static_cast<void>(unpack<std::vector<std::byte>>(bytes)), MalformedMessage);
}

// Found by fuzzing: such a bool has undefined behaviour wherever it is read.
TEST(Serialise, A7_a_bool_of_another_byte_than_0_and_1_is_malformed) {
  Packer packer(Buffer::allocate(64));
  pack(packer, std::uint8_t{255}, std::uint64_t{1}, std::uint8_t{2}, true, false);
  const Buffer buffer = packer.take();
  Unpacker bytes(buffer.bytes());
  EXPECT_THROW(static_cast<void>(unpack<bool>(bytes)), MalformedMessage);
  EXPECT_THROW(static_cast<void>(unpack<std::vector<bool>>(bytes)), MalformedMessage);
  EXPECT_TRUE(unpack<bool>(bytes));
  EXPECT_FALSE(unpack<bool>(bytes));
}

TEST(Serialise, arguments_of_the_right_type_are_packed_without_a_copy) {
  int copies = 0;
  const Counted counted(&copies);
  Packer packer(Buffer::allocate(64));
  pack_tuple_as(std::type_identity<std::tuple<Counted, std::string, double>>{}, packer, counted,
                "text", 2);
  EXPECT_EQ(copies, 0);
  const Buffer buffer = packer.take();
  Unpacker bytes(buffer.bytes());
  EXPECT_EQ(unpack<int>(bytes), 0);
  EXPECT_EQ(unpack<std::string>(bytes), "text");
  EXPECT_EQ(unpack<double>(bytes), 2.0);
}

}  // namespace
}  // namespace roam::core::serialise_test
