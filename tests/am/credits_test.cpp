// SPDX-License-Identifier: Apache-2.0
// A3: the ledger of credits by itself.
#include "am/credits.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <string>

#include "roam/am/detail/coalescer.hpp"

namespace roam::am::credits_test {
namespace {

using ::testing::ElementsAre;

core::Buffer message(std::uint32_t handler, std::size_t payload_bytes, std::uint16_t flags = 1) {
  core::Buffer buffer = core::Buffer::allocate(sizeof(WireHeader) + payload_bytes);
  buffer.set_size(buffer.capacity());
  WireHeader header;
  header.handler = handler;
  header.flags = flags;
  header.checked_size = static_cast<std::uint32_t>(buffer.size());
  std::memcpy(buffer.data(), &header, sizeof header);
  std::memset(buffer.data() + sizeof header, static_cast<int>(handler), payload_bytes);
  return buffer;
}

/// The handlers of a message, or of the messages in a batch; "bad" if the bytes are none.
std::vector<std::string> handlers(const core::Buffer& sent) {
  WireHeader header;
  if (!read_header(sent.bytes(), header)) return {"bad"};
  if ((header.flags & WireHeader::batch) == 0) return {std::to_string(header.handler)};
  std::vector<std::string> all;
  BatchEntry entry;
  std::span<const std::byte> payload;
  for (BatchReader reader(sent.bytes().subspan(sizeof header)); !reader.at_end();) {
    if (!reader.next(entry, payload)) return {"bad"};
    const bool intact = std::ranges::all_of(
        payload, [&](std::byte b) { return b == static_cast<std::byte>(entry.handler); });
    all.push_back(intact ? std::to_string(entry.handler) : "damaged");
  }
  return all;
}

class Sender {
 public:
  explicit Sender(std::size_t window, std::size_t batch = 512) : credits(window, batch) {}
  /// Sends as the messenger does: now, or once there is credit.
  void send(core::Buffer data, core::Buffer bulk = {}) {
    if (credits.is_blocked(1)) return credits.hold(1, {std::move(data), std::move(bulk), 7});
    credits.count_sent(1, Credits::charge(data, bulk));
    leave(data);
  }
  bool grant(std::uint64_t total) {
    if (!credits.take_grant(1, total)) return false;
    credits.send_waiting(1, [this](Credits::Waiting&& waiting) { leave(waiting.message); });
    return true;
  }
  Credits credits;
  std::vector<std::string> left;
  std::size_t pieces = 0;

 private:
  void leave(const core::Buffer& data) {
    ++pieces;
    for (const std::string& handler : handlers(data)) left.push_back(handler);
  }
};

TEST(Credits, A3_a_message_is_charged_the_block_it_takes) {
  EXPECT_EQ(Credits::charge(1), 512U);
  EXPECT_EQ(Credits::charge(512), 512U);
  EXPECT_EQ(Credits::charge(513), 1024U);
  EXPECT_EQ(Credits::charge(std::uint64_t{16} << 20), std::uint64_t{16} << 20);
  EXPECT_EQ(Credits::charge((std::uint64_t{16} << 20) + 1), (std::uint64_t{16} << 20) + 1);
  const core::Buffer announcement = message(0, 16, WireHeader::announce);
  const core::Buffer beside = message(0, 16, WireHeader::beside);
  const core::Buffer bulk = message(1, 3000);
  EXPECT_EQ(Credits::charge(announcement, bulk), 512U + 4096U);
  EXPECT_EQ(Credits::charge(beside, bulk), 512U) << "it lands in memory that is there";
}

TEST(Credits, A3_no_more_than_a_window_is_under_way) {
  Sender sender(4096);
  for (std::uint32_t i = 0; i < 12; ++i) sender.send(message(i, 100));
  EXPECT_THAT(sender.left, ElementsAre("0", "1", "2", "3", "4", "5", "6", "7"));
  EXPECT_GT(sender.credits.waiting_bytes(), 0U);
  EXPECT_TRUE(sender.grant(4096));
  EXPECT_EQ(sender.left.size(), 12U);
  EXPECT_EQ(sender.left.back(), "11");
  EXPECT_EQ(sender.credits.waiting_bytes(), 0U);
  EXPECT_FALSE(sender.credits.is_blocked(1));
}

TEST(Credits, A3_a_long_message_goes_when_less_than_a_window_is_under_way) {
  Sender sender(4096);
  sender.send(message(1, 100));
  sender.send(message(0, 16, WireHeader::announce), message(2, 1 << 20));
  EXPECT_EQ(sender.left.size(), 2U);
  sender.send(message(3, 100));
  EXPECT_EQ(sender.left.size(), 2U);
  EXPECT_TRUE(sender.grant(1024 + (std::uint64_t{1} << 21)));
  EXPECT_EQ(sender.left.size(), 3U);
}

TEST(Credits, A2_A3_small_messages_wait_together_and_in_order) {
  Sender sender(4096, 1024);
  for (std::uint32_t i = 0; i < 8; ++i) sender.send(message(100, 10));
  sender.left.clear();
  sender.pieces = 0;
  std::vector<std::string> expected;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const bool is_long = i == 30 || i == 60;
    sender.send(message(i, is_long ? 2000 : 8));
    expected.push_back(std::to_string(i));
  }
  EXPECT_LE(sender.credits.waiting_bytes(), 5 * 1024U + 2 * 2100U) << "100 messages in few blocks";
  for (std::uint64_t granted = 4096; sender.left.size() < 100; granted += 1024)
    ASSERT_TRUE(sender.grant(granted));
  EXPECT_EQ(sender.left, expected);
  EXPECT_LE(sender.pieces, 7U);
  EXPECT_EQ(sender.credits.waiting_bytes(), 0U);
}

TEST(Credits, A7_grants_for_what_was_not_sent_are_refused) {
  Sender sender(4096);
  EXPECT_FALSE(sender.grant(1));
  EXPECT_FALSE(sender.grant(~std::uint64_t{0}));
  for (std::uint32_t i = 0; i < 4; ++i) sender.send(message(i, 100));
  EXPECT_FALSE(sender.grant(2049));
  EXPECT_TRUE(sender.grant(1024));
  EXPECT_FALSE(sender.grant(1024)) << "twice the same";
  EXPECT_FALSE(sender.grant(512)) << "less than before";
  EXPECT_TRUE(sender.grant(2048));
}

TEST(Credits, A3_a_grant_is_due_after_half_a_window) {
  Credits credits(8192, 512);
  for (int i = 0; i < 7; ++i) credits.count_arrival(3, 512);
  EXPECT_FALSE(credits.is_due());
  credits.count_arrival(3, 512);
  EXPECT_TRUE(credits.is_due());
  credits.count_arrival(3, 512);
  std::vector<std::uint64_t> totals;
  credits.grant_due([&](Rank rank, std::uint64_t total) {
    EXPECT_EQ(rank, Rank(3));
    totals.push_back(total);
  });
  EXPECT_THAT(totals, ElementsAre(9 * 512U));
  EXPECT_FALSE(credits.is_due());
}

TEST(Credits, A3_nothing_waits_for_a_lost_rank) {
  Sender sender(4096);
  for (std::uint32_t i = 0; i < 20; ++i) sender.send(message(i, 100));
  EXPECT_THAT(sender.credits.waited_for(), ElementsAre(Rank(1)));
  sender.credits.grant_all_to(1);
  sender.credits.send_waiting(1, [](Credits::Waiting&&) {});
  EXPECT_EQ(sender.credits.waiting_bytes(), 0U);
  EXPECT_FALSE(sender.credits.is_blocked(1));
}

TEST(Credits, A2_A3_without_credit_all_that_waits_goes_in_order_and_is_charged) {
  Sender sender(4096);
  for (std::uint32_t i = 0; i < 20; ++i) sender.send(message(i, 400));
  const std::size_t before = sender.left.size();
  ASSERT_LT(before, 20U);
  sender.credits.send_without_credit(1, [&](Credits::Waiting&& waiting) {
    for (const std::string& handler : handlers(waiting.message)) sender.left.push_back(handler);
  });
  ASSERT_EQ(sender.left.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(sender.left[i], std::to_string(i));
  EXPECT_EQ(sender.credits.waiting_bytes(), 0U);
  EXPECT_TRUE(sender.credits.is_blocked(1)) << "more than a window is under way";
  EXPECT_TRUE(sender.grant(20 * 512));
  EXPECT_FALSE(sender.credits.is_blocked(1));
}

}  // namespace
}  // namespace roam::am::credits_test
