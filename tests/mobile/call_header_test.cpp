// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/call_header.hpp"

#include <gtest/gtest.h>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile::call_header_test {
namespace {

CallHeader usual_header() {
  CallHeader header;
  header.object = 0x123456789abcdef0ULL;
  header.reply_token = 77;
  header.origin = 3;
  header.sequence = 0xfffffff0U;
  header.method = 0xdeadbeefU;
  header.hops = 5;
  header.priority = 2;
  header.flags = CallHeader::is_part;
  return header;
}

core::Buffer written(const CallHeader& header) {
  core::Packer packer(core::Buffer::allocate(64));
  header.write(packer);
  return packer.take();
}

CallHeader read_back(const core::Buffer& bytes) {
  core::Unpacker unpacker(bytes.bytes());
  const CallHeader header = CallHeader::read(unpacker);
  EXPECT_EQ(unpacker.remaining(), 0U);
  EXPECT_EQ(header.bytes_read(), bytes.size());
  return header;
}

void expect_equal(const CallHeader& a, const CallHeader& b) {
  EXPECT_EQ(a.object, b.object);
  EXPECT_EQ(a.reply_token, b.reply_token);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.hops, b.hops);
  EXPECT_EQ(a.priority, b.priority);
  EXPECT_EQ(a.has(CallHeader::is_part), b.has(CallHeader::is_part));
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.cost_seconds, b.cost_seconds);
  EXPECT_EQ(a.weight, b.weight);
}

TEST(CallHeader, of_most_calls_takes_32_bytes) {
  const core::Buffer bytes = written(usual_header());
  EXPECT_EQ(bytes.size(), 32U);
  expect_equal(read_back(bytes), usual_header());
}

TEST(CallHeader, details_travel_where_they_are_not_the_usual_ones) {
  for (int detail = 0; detail < 3; ++detail) {
    CallHeader header = usual_header();
    if (detail == 0) header.epoch = 0x8000000000000001ULL;
    if (detail == 1) header.cost_seconds = 0;
    if (detail == 2) header.weight = 2.5F;
    const core::Buffer bytes = written(header);
    EXPECT_EQ(bytes.size(), 48U);
    const CallHeader read = read_back(bytes);
    expect_equal(read, header);
    // It is written once more, as when a call is forwarded.
    EXPECT_EQ(written(read).size(), 48U);
  }
}

// A header from a message with details has no details any more when they are the usual ones again.
TEST(CallHeader, is_as_short_as_it_can_be_when_written_anew) {
  CallHeader header = usual_header();
  header.epoch = 9;
  CallHeader read = read_back(written(header));
  read.epoch = 0;
  EXPECT_EQ(written(read).size(), 32U);
}

TEST(CallHeader, too_few_bytes_are_malformed) {
  CallHeader header = usual_header();
  header.weight = 3;
  const core::Buffer bytes = written(header);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    core::Unpacker unpacker(bytes.bytes().first(length));
    EXPECT_THROW(static_cast<void>(CallHeader::read(unpacker)), MalformedMessage) << length;
  }
}

}  // namespace
}  // namespace roam::mobile::call_header_test
