// SPDX-License-Identifier: Apache-2.0
// A7: large arrays whose announcement, place or handler is wrong are rejected and never seen.
#include <gmock/gmock.h>

#include <cstring>

#include "am/am_world.hpp"

namespace roam::am::testing::large_message_hostile_test {

void take(int number, std::span<const double> values, int last) {
  log().add(std::to_string(number) + " " + std::to_string(values.size()) + " " +
            std::to_string(last));
}
void plain(int number) { log().add(number); }
[[maybe_unused]] void mention(Messenger& m) {
  m.send<&take>(0, 1, std::vector<double>(), 2);
  m.send<&plain>(0, 1);
}

/// What a malicious peer claims about an array that it sends beside a message.
struct Lie {
  std::string_view handler = core::value_symbol<&take>();
  std::uint64_t count = 4000;  // elements, as the message has it
  std::uint64_t announced_bytes = 32000;
  std::size_t sent_bytes = 32000;
  std::uint32_t bytes_behind = 4;
  std::size_t cut = 0;  // off the end of the message
  std::uint16_t more_flags = 0;
};

/// Rank 0 is a messenger that the test steps by hand; rank 1 is bare and sends what it likes.
class BadArrays : public ::testing::Test, private transport::Sink {
 protected:
  BadArrays() {
    bad = network.endpoint(1);
    node = std::make_unique<Node>(network.endpoint(0), exec::EngineOptions{}, MessengerOptions{},
                                  clock);
  }
  ~BadArrays() override {
    node.reset();
    bad->close(false);
  }

  void send(const Lie& lie) {
    core::Packer packer(core::Buffer::allocate(64));
    WireHeader header;
    packer.write(&header, sizeof header);
    const BulkAnnouncement announcement{lie.announced_bytes, ++tag, lie.bytes_behind};
    packer.write(&announcement, sizeof announcement);
    core::pack(packer, std::uint64_t{0}, 1, lie.count, 2);
    core::Buffer message = packer.take();
    message.set_size(message.size() - lie.cut);
    header.handler = handler_id(lie.handler);
    header.flags =
        static_cast<std::uint16_t>(WireHeader::attached | WireHeader::counted | lie.more_flags);
    header.checked_size = static_cast<std::uint32_t>(message.size());
    std::memcpy(message.data(), &header, sizeof header);
    bad->send(0, std::move(message));
    if (lie.sent_bytes > 0) {
      core::Buffer data = core::Buffer::allocate(lie.sent_bytes);
      data.set_size(lie.sent_bytes);
      std::memset(data.data(), 0, lie.sent_bytes);
      bad->send_bulk(0, tag, std::move(data));
    }
    for (int i = 0; i < 20; ++i) (void)node->engine.step(0);
  }
  void expect_rejected(const Lie& lie, const char* why) {
    const std::uint64_t rejected = node->messenger.stats().messages_rejected;
    node->log.add("-");
    const std::size_t heard = node->log.size();
    send(lie);
    EXPECT_EQ(node->messenger.stats().messages_rejected, rejected + 1) << why;
    EXPECT_EQ(node->log.size(), heard) << why << ": reached user code";
    send({});
    EXPECT_EQ(node->log.size(), heard + 1) << why << ": the next good one is not heard";
    EXPECT_TRUE(node->errors.lines().empty()) << why;
  }

  core::SteadyClock clock;
  transport::InProcessNetwork network{2};
  std::unique_ptr<Node> node;
  std::unique_ptr<transport::Endpoint> bad;
  transport::BulkTag tag = 0;

 private:
  void message(Rank, core::Buffer&&) override {}
  void bulk(Rank, transport::BulkTag, core::Buffer&&) override {}
  void peer_failed(Rank, const char*) override {}
};

TEST_F(BadArrays, A7_a_good_one_is_heard) {
  send({});
  EXPECT_THAT(node->log.lines(), ::testing::ElementsAre("1 4000 2"));
}

TEST_F(BadArrays, A7_announcements_that_cannot_be) {
  expect_rejected({.announced_bytes = 0, .sent_bytes = 0}, "nothing announced");
  expect_rejected({.announced_bytes = std::uint64_t{1} << 60, .sent_bytes = 0}, "far too much");
  expect_rejected({.sent_bytes = 0, .cut = 30}, "no announcement");
}

TEST_F(BadArrays, A7_counts_that_are_not_what_came) {
  for (const std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{3999}, std::uint64_t{4001}, std::uint64_t{1} << 55,
        (std::uint64_t{1} << 61) + 4000, ~std::uint64_t{0}}) {
    expect_rejected({.count = count}, "another count");
  }
  expect_rejected({.count = 3999, .announced_bytes = 31999, .sent_bytes = 31999},
                  "no whole elements");
}

TEST_F(BadArrays, A7_places_where_no_array_is) {
  for (const std::uint32_t behind : {0U, 3U, 5U, 8U, 12U, 16U, 4000U, ~0U})
    expect_rejected({.bytes_behind = behind}, "another place");
  expect_rejected({.cut = 4}, "an argument is missing");
}

TEST_F(BadArrays, A7_messages_of_two_kinds) {
  for (const std::uint16_t flags : {WireHeader::beside, WireHeader::announce, WireHeader::batch})
    expect_rejected({.sent_bytes = 0, .more_flags = flags}, "another kind as well");
}

TEST_F(BadArrays, A7_handlers_that_take_none) {
  expect_rejected({.handler = core::value_symbol<&plain>()}, "of the program");
  expect_rejected({.handler = "roam.hello"}, "of the runtime");
  expect_rejected({.handler = "roam.reply"}, "an answer that nobody awaits");
  expect_rejected({.handler = "nobody"}, "unknown");
}

}  // namespace roam::am::testing::large_message_hostile_test
