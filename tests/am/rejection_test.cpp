// SPDX-License-Identifier: Apache-2.0
// A6 same program, A7 malformed messages.
#include <gmock/gmock.h>

#include <cstring>

#include "am/am_world.hpp"
#include "roam/core/error.hpp"

namespace roam::am::testing::rejection_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void hear(int number, const std::string& text) { log().add(std::to_string(number) + text); }
int twice(int number) { return 2 * number; }

/// Rank 0 is a messenger that the test steps by hand; rank 1 is bare and sends what it likes.
class BadPeer : public ::testing::Test, private transport::Sink {
 protected:
  BadPeer() {
    bad = network.endpoint(1);
    node = std::make_unique<Node>(network.endpoint(0), exec::EngineOptions{}, MessengerOptions{},
                                  clock);
  }
  ~BadPeer() override {
    node.reset();
    bad->close(false);
  }

  void settle() {
    for (int i = 0; i < 20; ++i) {
      (void)node->engine.step(0);
      bad->progress(*this, 100);
    }
  }
  /// A message as a correct peer would make it, with a correct header.
  template <class... T>
  static core::Buffer message(std::string_view handler, std::uint16_t flags, const T&... values) {
    core::Packer packer(core::Buffer::allocate(64));
    const WireHeader header;
    packer.write(&header, sizeof header);
    core::pack(packer, values...);
    core::Buffer buffer = packer.take();
    seal(buffer, handler_id(handler), flags);
    return buffer;
  }
  static void seal(core::Buffer& buffer, std::uint32_t handler, std::uint16_t flags) {
    WireHeader header;
    header.handler = handler;
    header.flags = flags;
    header.checked_size = static_cast<std::uint32_t>(buffer.size());
    std::memcpy(buffer.data(), &header, sizeof header);
  }
  template <class Field>
  static void patch(core::Buffer& buffer, std::size_t offset, Field value) {
    std::memcpy(buffer.data() + offset, &value, sizeof value);
  }
  static core::Buffer good(int number = 1) {
    return message(hear_name(), WireHeader::counted, std::uint64_t{0}, number, std::string("!"));
  }
  static std::string_view hear_name() { return core::value_symbol<&hear>(); }

  /// Sends the message, which must be rejected; a valid message after it must be received.
  void expect_rejected(core::Buffer data, const char* why) {
    const std::uint64_t rejected = node->messenger.stats().messages_rejected;
    const std::size_t heard = node->log.size();
    bad->send(0, std::move(data));
    settle();
    EXPECT_EQ(node->messenger.stats().messages_rejected, rejected + 1) << why;
    EXPECT_EQ(node->log.size(), heard) << why << ": reached user code";
    bad->send(0, good());
    settle();
    EXPECT_EQ(node->log.size(), heard + 1) << why << ": the next good message is not heard";
    EXPECT_THAT(node->errors.lines(), ElementsAre()) << why;
    EXPECT_THAT(node->failures.lines(), ElementsAre()) << why;
  }

  core::SteadyClock clock;
  transport::InProcessNetwork network{2};
  std::unique_ptr<Node> node;
  std::unique_ptr<transport::Endpoint> bad;
  std::vector<core::Buffer> answers;

 private:
  void message(Rank, core::Buffer&& data) override { answers.push_back(std::move(data)); }
  void bulk(Rank, transport::BulkTag, core::Buffer&&) override {}
  void peer_failed(Rank, const char*) override {}
};

// Makes `hear` and `twice` handlers of the program.
[[maybe_unused]] void mention(Messenger& m) {
  m.send<&hear>(0, 1, "");
  (void)m.request<&twice>(0, 1);
}

TEST_F(BadPeer, A7_a_good_message_is_heard) {
  bad->send(0, good(5));
  settle();
  EXPECT_THAT(node->log.lines(), ElementsAre("5!"));
  EXPECT_EQ(node->messenger.stats().messages_received, 1U);
  EXPECT_EQ(node->messenger.stats().messages_rejected, 0U);
}

TEST_F(BadPeer, A7_headers_that_are_not_ours) {
  core::Buffer data = good();
  patch(data, offsetof(WireHeader, magic), std::uint16_t{0x4242});
  expect_rejected(std::move(data), "bad magic");
  data = good();
  patch(data, offsetof(WireHeader, checked_size), std::uint32_t{9999});
  expect_rejected(std::move(data), "size too large");
  data = good();
  patch(data, offsetof(WireHeader, checked_size), std::uint32_t{16});
  expect_rejected(std::move(data), "size too small");
  data = good();
  data.set_size(data.size() - 1);
  expect_rejected(std::move(data), "cut off on the way");
  data = good();
  patch(data, offsetof(WireHeader, flags), std::uint16_t{0x8001});
  expect_rejected(std::move(data), "unknown flags");
  for (const std::size_t size : {0U, 1U, 15U}) {
    data = good();
    data.set_size(size);
    expect_rejected(std::move(data), "shorter than a header");
  }
}

TEST_F(BadPeer, A7_unknown_handlers) {
  expect_rejected(message("no such handler", WireHeader::counted, std::uint64_t{0}),
                  "unknown handler");
  core::Buffer data = good();
  seal(data, 0, WireHeader::counted);
  expect_rejected(std::move(data), "handler 0");
}

TEST_F(BadPeer, A7_arguments_that_do_not_decode) {
  const std::uint64_t nobody = 0;
  expect_rejected(message(hear_name(), 0), "not even a reply token");
  expect_rejected(message(hear_name(), 0, nobody), "no arguments");
  expect_rejected(message(hear_name(), 0, nobody, 1), "one argument missing");
  expect_rejected(message(hear_name(), 0, nobody, 1, std::uint64_t{1} << 60),
                  "a string longer than memory");
  expect_rejected(message(hear_name(), 0, nobody, 1, std::uint64_t{3}, 'a', 'b'),
                  "a string cut off");
  expect_rejected(message(hear_name(), 0, nobody, 1, std::string("!"), 'x'),
                  "one argument too many");
}

TEST_F(BadPeer, A7_whoever_waits_for_arguments_that_do_not_decode_is_told) {
  bad->send(0, message(core::value_symbol<&twice>(), WireHeader::counted, std::uint64_t{77}));
  settle();
  EXPECT_EQ(node->messenger.stats().messages_rejected, 1U);
  ASSERT_EQ(answers.size(), 1U);
  core::Unpacker bytes(answers[0].bytes().subspan(sizeof(WireHeader)));
  EXPECT_EQ(core::unpack<std::uint64_t>(bytes), 77U);
  EXPECT_EQ(core::unpack<std::uint8_t>(bytes),
            static_cast<std::uint8_t>(ReplyStatus::handler_failed));
  EXPECT_THAT(core::unpack<std::string>(bytes), HasSubstr("twice"));
}

TEST_F(BadPeer, A7_forged_replies) {
  const auto reply = [](std::uint64_t token, std::uint8_t status) {
    return message("roam.reply", WireHeader::counted, token, status);
  };
  expect_rejected(reply(0, 0), "token 0");
  expect_rejected(reply(std::uint64_t{1} << 32, 0), "a slot that does not exist");
  expect_rejected(reply(~std::uint64_t{0}, 0), "all ones");
  expect_rejected(message("roam.reply", 0, std::uint32_t{0}), "half a token");
  // Now a reply is really awaited.
  const auto pending = node->messenger.request<&twice>(1, 4);
  settle();
  ASSERT_EQ(answers.size(), 1U);
  core::Unpacker bytes(answers[0].bytes().subspan(sizeof(WireHeader)));
  const auto token = core::unpack<std::uint64_t>(bytes);
  expect_rejected(reply(token + (std::uint64_t{1} << 32), 0), "another generation");
  expect_rejected(reply(token + 1, 0), "another slot");
  expect_rejected(reply(token, 200), "no such status");
  EXPECT_FALSE(pending.is_ready());
  bad->send(0, message("roam.reply", 0, token, std::uint8_t{0}, 8));
  settle();
  EXPECT_TRUE(pending.is_ready());
  expect_rejected(reply(token, 0), "answered twice");
}

TEST_F(BadPeer, A7_messages_of_epochs_that_cannot_be) {
  const auto in_epoch = [](Epoch epoch, std::string_view handler) {
    return message("roam.in_epoch", WireHeader::counted, epoch.value(), handler_id(handler),
                   std::uint32_t{0}, std::uint64_t{0}, 1, std::string("!"));
  };
  expect_rejected(in_epoch(Epoch(), hear_name()), "no epoch");
  expect_rejected(in_epoch(Epoch(0, 1), hear_name()), "an epoch that was not begun here");
  expect_rejected(in_epoch(Epoch(7, 1), hear_name()), "an epoch of a rank that does not exist");
  expect_rejected(in_epoch(Epoch(1, 1), "no such handler"), "unknown handler");
  expect_rejected(in_epoch(Epoch(1, 1), "roam.reply"), "a system handler");
  expect_rejected(message("roam.in_epoch", 0, Epoch(1, 1).value()), "half a head");
  expect_rejected(message("roam.in_epoch", 0, Epoch(1, 1).value(), handler_id(hear_name()),
                          std::uint32_t{0}, std::uint32_t{0}),
                  "half a token");
  const auto report = [](Epoch epoch, const std::string& counts) {
    return message("roam.epoch.report", WireHeader::counted, epoch.value(), counts);
  };
  const std::string sent_to_rank_1("\1\2", 2);
  expect_rejected(report(Epoch(0, 1), sent_to_rank_1), "an epoch that was not begun here");
  expect_rejected(report(Epoch(1, 1), "\2\2"), "counts of a rank that does not exist");
  expect_rejected(report(Epoch(1, 1), "\1\2\1\2"), "counts of one more that does not exist");
  expect_rejected(report(Epoch(1, 1), "\1"), "a rank without its count");
  expect_rejected(report(Epoch(1, 1), "\1\x80"), "half a count");
  expect_rejected(report(Epoch(1, 1), std::string(12, '\xff')), "a rank that is no number");
  EXPECT_EQ(node->messenger.epochs().size(), 0U) << "something is kept of them";
}

TEST_F(BadPeer, A7_arguments_that_do_not_decode_in_an_epoch_are_still_reported) {
  bad->send(0, message("roam.in_epoch", WireHeader::counted, Epoch(1, 1).value(),
                       handler_id(hear_name()), std::uint32_t{0}, std::uint64_t{0}, 1));
  settle();
  EXPECT_EQ(node->messenger.stats().messages_rejected, 1U);
  EXPECT_EQ(node->messenger.epochs().size(), 0U);
  ASSERT_EQ(answers.size(), 1U);
  core::Unpacker bytes(answers[0].bytes().subspan(sizeof(WireHeader)));
  EXPECT_EQ(core::unpack<std::uint64_t>(bytes), Epoch(1, 1).value());
  EXPECT_EQ(core::unpack<std::string>(bytes), std::string("\0\1", 2)) << "one less at rank 0";
}

TEST_F(BadPeer, A7_announcements_of_bulk_transfers) {
  const auto announcement = [](std::uint64_t size, std::uint32_t tag) {
    return message("", WireHeader::announce, size, tag, std::uint32_t{0});
  };
  expect_rejected(announcement(std::uint64_t{1} << 62, 1), "absurd size");
  expect_rejected(announcement(~std::uint64_t{0}, 1), "the largest size");
  expect_rejected(announcement((std::uint64_t{1} << 36) + 1, 1), "just above the limit");
  expect_rejected(message("", WireHeader::announce, std::uint64_t{100}), "half an announcement");
  expect_rejected(
      message("", WireHeader::announce, std::uint64_t{100}, std::uint64_t{1}, std::uint64_t{1}),
      "an announcement too long");
}

TEST_F(BadPeer, A7_bulk_transfers_are_checked_like_messages) {
  const auto send_bulk = [&](core::Buffer data, std::uint32_t tag) {
    bad->send(0,
              message("", WireHeader::announce, std::uint64_t{data.size()}, tag, std::uint32_t{0}));
    bad->send_bulk(0, tag, std::move(data));
    settle();
  };
  send_bulk(good(7), 1);
  EXPECT_THAT(node->log.lines(), ElementsAre("7!"));
  core::Buffer data = good();
  patch(data, 0, std::uint32_t{0});
  send_bulk(std::move(data), 2);
  core::Buffer tiny = core::Buffer::allocate(8);
  tiny.set_size(4);
  send_bulk(std::move(tiny), 3);
  send_bulk(message("", WireHeader::announce, std::uint64_t{9}, std::uint32_t{9}, std::uint32_t{0}),
            4);
  EXPECT_EQ(node->messenger.stats().messages_rejected, 3U);
  bad->send(0, good(8));
  settle();
  EXPECT_THAT(node->log.lines(), ElementsAre("7!", "8!"));
}

TEST_F(BadPeer, A7_random_bytes_do_no_harm) {
  const std::uint64_t seed = 99;
  std::cout << "seed " << seed << "\n";
  core::Random random(seed);
  const std::vector<std::uint32_t> handlers = handlers_of(node->messenger, "rejection_test");
  constexpr int count = 5000;
  for (int i = 0; i < count; ++i) {
    const std::size_t size = random.below(200);
    core::Buffer data = core::Buffer::allocate(256);
    data.set_size(size);
    for (std::byte& b : data.bytes()) b = static_cast<std::byte>(random());
    // Half of the messages have a valid header, for a handler that exists.
    if (i % 2 == 0 && size >= sizeof(WireHeader)) {
      seal(data, handlers[random.below(handlers.size())], WireHeader::counted);
    }
    bad->send(0, std::move(data));
    settle();
  }
  bad->send(0, good(3));
  settle();
  EXPECT_EQ(node->log.lines().back(), "3!");
  EXPECT_GT(node->messenger.stats().messages_rejected, std::uint64_t{count} / 2);
}

TEST(Reordering, A7_repeated_sequence_numbers_are_rejected) {
  core::VirtualClock clock;
  transport::SimulatedNetworkParameters parameters;
  parameters.reorder = true;
  transport::SimulatedNetwork network(parameters, 2, clock, 1);
  const auto bad = network.endpoint(1);
  Node node(network.endpoint(0), {}, {}, clock);
  const auto send = [&](std::uint32_t sequence, int number) {
    core::Packer packer(core::Buffer::allocate(64));
    WireHeader header;
    packer.write(&header, sizeof header);
    core::pack(packer, std::uint64_t{0}, number, std::string("."));
    core::Buffer buffer = packer.take();
    header.handler = handler_id(core::value_symbol<&hear>());
    header.sequence = sequence;
    header.checked_size = static_cast<std::uint32_t>(buffer.size());
    std::memcpy(buffer.data(), &header, sizeof header);
    bad->send(0, std::move(buffer));
    clock.set(clock.now() + std::chrono::seconds(1));
    for (int i = 0; i < 5; ++i) (void)node.engine.step(0);
  };
  send(2, 2);
  send(1, 1);
  send(1, 99);
  EXPECT_THAT(node.log.lines(), ElementsAre()) << "the first is still missing";
  send(0, 0);
  send(0, 99);
  send(2, 99);
  send(3, 3);
  EXPECT_THAT(node.log.lines(), ElementsAre("0.", "1.", "2.", "3."));
  EXPECT_EQ(node.messenger.stats().messages_rejected, 3U);
}

class SameProgram : public OnEveryNetwork {};
INSTANTIATE_TEST_SUITE_P(Networks, SameProgram, ::testing::ValuesIn(all_networks()), network_name);

/// A message that not all ranks know.
struct Extra {
  static constexpr MessageKind kind{"extra.handler"};
};
struct Stranger {
  void on_extra(const Extra& /*message*/) {}
};

TEST_P(SameProgram, A6_equal_handlers_pass_without_a_word) {
  const auto world = make({.ranks = 4});
  world->run([](Node& node) -> Task<> {
    node.messenger.announce_handlers();
    co_await Pause(std::chrono::milliseconds(20));
  });
  for (const auto& node : world->nodes) {
    EXPECT_THAT(node->failures.lines(), ElementsAre());
    EXPECT_EQ(node->messenger.stats().messages_rejected, 0U);
  }
}

/// Compares the ranks' handlers until the rank has reported something, and for a while longer.
void announce_until_a_report_of(World& world, std::size_t rank) {
  world.run([&](Node& node) -> Task<> {
    node.messenger.announce_handlers();
    co_await until([&] { return world[rank].failures.size() > 0; });
    co_await Pause(std::chrono::milliseconds(20));
  });
}

TEST_P(SameProgram, A6_a_difference_is_reported_once_with_ranks_and_handler) {
  const auto world = make({.ranks = 4});
  Stranger stranger;
  // Rank 3 runs another program: its parent in the tree of ranks is 1.
  (*world)[3].messenger.bind<&Stranger::on_extra>(stranger);
  announce_until_a_report_of(*world, 1);
  EXPECT_THAT(
      (*world)[1].failures.lines(),
      ElementsAre(::testing::AllOf(HasSubstr("ranks 1 and 3"), HasSubstr("extra.handler"))));
  for (const std::size_t rank : {0U, 2U, 3U})
    EXPECT_THAT((*world)[rank].failures.lines(), ElementsAre());
}

TEST_P(SameProgram, A6_a_setting_that_differs_is_named_before_the_handlers_it_brings) {
  Stranger stranger;
  const auto world = make({.ranks = 4});
  for (const auto& node : world->nodes) {
    const bool is_odd_one = node->messenger.rank() == 3;
    node->messenger.require_equal("--roam-seldom", "same");
    node->messenger.require_equal("--roam-balancer", is_odd_one ? "none" : "diffusion");
    if (!is_odd_one) node->messenger.bind<&Stranger::on_extra>(stranger);
  }
  announce_until_a_report_of(*world, 1);
  EXPECT_THAT((*world)[1].failures.lines(),
              ElementsAre("ranks 1 and 3 have different values of --roam-balancer: \"diffusion\" "
                          "and \"none\"; give all ranks the same"));
}

TEST_P(SameProgram, A6_a_difference_on_the_other_side_is_named_too) {
  Stranger stranger;
  const auto world = make();
  (*world)[0].messenger.bind<&Stranger::on_extra>(stranger);
  announce_until_a_report_of(*world, 0);
  EXPECT_THAT((*world)[0].failures.lines(), ElementsAre(HasSubstr("extra.handler")));
}

TEST(HandlerTable, refuses_two_handlers_of_one_name) {
  const MessageDeclaration once{MessageKind{"once"}, "once()"};
  HandlerTable table;
  table.bind(once, nullptr, nullptr);
  try {
    table.bind(once, nullptr, nullptr);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("once"));
  }
}

TEST(HandlerTable, finds_everything_however_full) {
  HandlerTable table;
  std::deque<std::string> names;
  std::deque<MessageDeclaration> messages;
  for (int i = 0; i < 1000; ++i) {
    const std::string& name = names.emplace_back("handler " + std::to_string(i));
    table.bind(messages.emplace_back(MessageDeclaration{MessageKind{name}, name}), nullptr,
               nullptr);
  }
  for (const std::string& name : names) {
    const auto* entry = table.find(handler_id(name));
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->symbol, name);
  }
  EXPECT_EQ(table.find(handler_id("another")), nullptr);
  EXPECT_TRUE(std::ranges::is_sorted(table.symbols()));
}

}  // namespace roam::am::testing::rejection_test
