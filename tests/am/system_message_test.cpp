// SPDX-License-Identifier: Apache-2.0
// The runtime's own messages: what is written is read again, and nothing else is accepted (A6, A7).
#include "roam/am/detail/system_message.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <optional>

#include "am/am_world.hpp"
#include "roam/am/detail/collectives.hpp"
#include "roam/am/remote_memory.hpp"

namespace roam::am::testing::system_message_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Colour : std::uint8_t { red, green };

struct Inner {
  std::uint16_t number = 0;
  std::string text;
  static constexpr auto fields(auto& m) { return std::tie(m.number, m.text); }
  friend bool operator==(const Inner&, const Inner&) = default;
};

/// Has a field of each sort.
struct Everything {
  static constexpr MessageKind kind{"test.everything", Counted::yes, Behind::bytes};
  bool is_on = false;
  Colour colour = Colour::red;
  Rank rank;
  ObjectId object;
  std::array<std::int32_t, 3> three{};
  std::string text;
  std::vector<double> numbers;
  Inner inner;
  std::vector<Inner> list;
  static constexpr auto fields(auto& m) {
    return std::tie(m.is_on, m.colour, m.rank, m.object, m.three, m.text, m.numbers, m.inner,
                    m.list);
  }
  friend bool operator==(const Everything&, const Everything&) = default;
};

/// 13 bytes on the wire, 24 in memory.
struct Gaps {
  static constexpr MessageKind kind{"test.gaps"};
  std::uint8_t small = 0;
  std::uint64_t large = 0;
  bool is_on = false;
  std::uint16_t medium = 0;
  std::uint8_t last = 0;
  static constexpr auto fields(auto& m) {
    return std::tie(m.small, m.large, m.is_on, m.medium, m.last);
  }
  friend bool operator==(const Gaps&, const Gaps&) = default;
};
/// The same fields in another order.
struct Gaps2 {
  static constexpr MessageKind kind{"test.gaps"};
  std::uint64_t large = 0;
  std::uint8_t small = 0;
  bool is_on = false;
  std::uint16_t medium = 0;
  std::uint8_t last = 0;
  static constexpr auto fields(auto& m) {
    return std::tie(m.large, m.small, m.is_on, m.medium, m.last);
  }
};

struct Nothing {
  static constexpr MessageKind kind{"test.nothing", Counted::no};
};

/// A message whose layout depends on its values.
struct Chosen {
  static constexpr MessageKind kind{"test.chosen"};
  static constexpr std::string_view layout = "a byte, and if that is 1 eight more";
  static constexpr void describe(auto& text) { text.add(layout); }
  std::optional<std::uint64_t> number;
  void write(core::Packer& packer) const {
    core::pack(packer, static_cast<std::uint8_t>(number.has_value()));
    if (number) core::pack(packer, *number);
  }
  static Chosen read(core::Unpacker& bytes) {
    Chosen chosen;
    if (core::unpack<std::uint8_t>(bytes) == 1) chosen.number = core::unpack<std::uint64_t>(bytes);
    return chosen;
  }
};

template <SystemMessage M>
core::Buffer bytes_of(const M& message) {
  core::Packer packer(core::Buffer::allocate(256));
  write_message(packer, message);
  return packer.take();
}

TEST(MessageLayout, what_is_written_is_read) {
  const Everything all{true,   Colour::green, 7,        ObjectId(99),       {1, -2, 3},
                       "text", {0.5, 1.5},    {8, "x"}, {{1, "a"}, {2, ""}}};
  core::Buffer bytes = bytes_of(all);
  std::size_t taken = 0;
  EXPECT_EQ(read_message<Everything>(bytes.bytes(), taken), all);
  EXPECT_EQ(taken, bytes.size());
  bytes.append("more", 4);
  EXPECT_EQ(read_message<Everything>(bytes.bytes(), taken), all);
  EXPECT_EQ(taken, bytes.size() - 4);
  for (const std::optional<std::uint64_t> number : {std::optional<std::uint64_t>(), {5}})
    EXPECT_EQ(read_message<Chosen>(bytes_of(Chosen{number}).bytes()).number, number);
}

TEST(MessageLayout, fields_follow_each_other_without_gaps) {
  static_assert(layout_bytes<Gaps> == 13 && !lies_as_in_memory<Gaps>);
  static_assert(lies_as_in_memory<wire::AtomicRequest>);
  static_assert(!has_fixed_layout<Everything>);
  const Gaps gaps{1, 2, true, 3, 4};
  const core::Buffer bytes = bytes_of(gaps);
  ASSERT_EQ(bytes.size(), 13U);
  EXPECT_EQ(bytes.data()[1], std::byte{2}) << "behind the byte before it";
  EXPECT_EQ(read_message<Gaps>(bytes.bytes()), gaps);
}

TEST(MessageLayout, A7_what_is_too_short_or_too_long_is_malformed) {
  const core::Buffer all = bytes_of(Everything{});
  for (std::size_t length = 0; length < all.size(); ++length) {
    EXPECT_THROW(static_cast<void>(read_message<Everything>(all.bytes().first(length))),
                 MalformedMessage)
        << length;
  }
  core::Buffer gaps = bytes_of(Gaps{});
  for (std::size_t length = 0; length < gaps.size(); ++length) {
    EXPECT_THROW(static_cast<void>(read_message<Gaps>(gaps.bytes().first(length))),
                 MalformedMessage);
  }
  gaps.append("+", 1);
  EXPECT_THROW(static_cast<void>(read_message<Gaps>(gaps.bytes())), MalformedMessage);
  EXPECT_THROW(static_cast<void>(read_message<Nothing>(gaps.bytes())), MalformedMessage);
  core::Buffer chosen = bytes_of(Chosen{});
  chosen.append("+", 1);
  EXPECT_THROW(static_cast<void>(read_message<Chosen>(chosen.bytes())), MalformedMessage);
}

TEST(MessageLayout, A7_wrong_bools_and_huge_counts_are_malformed) {
  core::Buffer gaps = bytes_of(Gaps{});
  gaps.data()[9] = std::byte{2};
  EXPECT_THROW(static_cast<void>(read_message<Gaps>(gaps.bytes())), MalformedMessage);
  core::Buffer all = bytes_of(Everything{});
  const std::uint64_t most = ~std::uint64_t{0};
  std::memcpy(all.data() + all.size() - sizeof most, &most, sizeof most);  // of the list
  EXPECT_THROW(static_cast<void>(read_message<Everything>(all.bytes())), MalformedMessage);
}

TEST(MessageLayout, A6_the_signature_names_the_fields_down_to_the_last) {
  EXPECT_EQ(message_declaration<Nothing>.signature, "test.nothing()");
  const std::string gaps(message_declaration<Gaps>.signature);
  EXPECT_THAT(gaps, AllOf(HasSubstr("test.gaps("), HasSubstr(") counted")));
  EXPECT_NE(gaps, message_declaration<Gaps2>.signature);
  EXPECT_THAT(std::string(message_declaration<Everything>.signature),
              AllOf(HasSubstr("Colour:1"), HasSubstr("roam::Rank:4"), HasSubstr("list of (")));
  EXPECT_THAT(std::string(message_declaration<Chosen>.signature), HasSubstr(Chosen::layout));
}

/// Receives each kind of message with a handler of another form.
struct Ear {
  explicit Ear(Messenger& messenger) {
    messenger.bind<&Ear::on_gaps>(*this);
    messenger.bind<&Ear::on_everything>(*this);
    messenger.bind<&Ear::on_nothing>(*this);
  }
  void on_gaps(const Gaps& gaps, Rank source) {
    log.add("gaps " + std::to_string(gaps.large) + " of " + std::to_string(source.value()));
  }
  void on_everything(Everything&& all, Incoming&& rest) {
    const std::span<const std::byte> bytes = rest.payload();
    log.add(all.text + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  void on_nothing(const Nothing&) { log.add("nothing"); }
  Log log;
};

class SystemMessages : public OnEveryNetwork {};
INSTANTIATE_TEST_SUITE_P(Networks, SystemMessages, ::testing::ValuesIn(all_networks()),
                         network_name);

TEST_P(SystemMessages, arrive_as_they_were_sent_and_count_as_declared) {
  const auto world = make();
  std::deque<Ear> ears;
  for (const auto& node : world->nodes) ears.emplace_back(node->messenger);
  world->run([&](Node& node) -> Task<> {
    Messenger& m = node.messenger;
    if (m.rank() == 0) {
      m.post(1, Gaps{.large = 5});
      Everything everything;
      everything.text = "text";
      Outgoing<Everything> all = m.begin(everything);
      all.packer().write(" and more", 9);
      m.post(1, std::move(all));
      m.post(1, Nothing{});
    } else {
      co_await until([&] { return ears[1].log.size() == 3; });
    }
  });
  EXPECT_THAT(ears[1].log.lines(), ElementsAre("gaps 5 of 0", "text and more", "nothing"));
  EXPECT_EQ((*world)[0].messenger.counted_sent(), 2U);
  EXPECT_EQ((*world)[1].messenger.counted_received(), 2U);
  EXPECT_EQ((*world)[1].messenger.stats().messages_rejected, 0U);
}

struct OtherEar {
  void on_gaps(const Gaps2&) {}
};
struct EarOfGaps {
  void on_gaps(const Gaps&) {}
};

TEST_P(SystemMessages, A6_a_message_of_another_layout_is_reported_at_start) {
  const auto world = make({.ranks = 4});
  EarOfGaps ear;
  OtherEar other;
  for (const auto& node : world->nodes) {
    if (node->messenger.rank() == 3) {
      node->messenger.bind<&OtherEar::on_gaps>(other);
    } else {
      node->messenger.bind<&EarOfGaps::on_gaps>(ear);
    }
  }
  world->run([&](Node& node) -> Task<> {
    node.messenger.announce_handlers();
    co_await until([&] { return (*world)[1].failures.size() > 0; });
  });
  EXPECT_THAT((*world)[1].failures.lines(),
              ElementsAre(AllOf(HasSubstr("ranks 1 and 3"), HasSubstr("test.gaps("))));
}

/// Rank 0 is a messenger with all that am has, stepped by hand; rank 1 is bare.
class BadSender : public ::testing::Test, private transport::Sink {
 protected:
  ~BadSender() override { bad->close(false); }
  void send(std::uint32_t handler, std::span<const std::byte> payload) {
    core::Buffer buffer = core::Buffer::allocate(sizeof(WireHeader) + payload.size());
    WireHeader header;
    header.handler = handler;
    header.checked_size = static_cast<std::uint32_t>(sizeof header + payload.size());
    buffer.append(&header, sizeof header);
    buffer.append(payload.data(), payload.size());
    bad->send(0, std::move(buffer));
    for (int i = 0; i < 5; ++i) {
      (void)node.engine.step(0);
      bad->progress(*this, 100);
    }
  }
  [[nodiscard]] std::uint64_t rejected() const { return node.messenger.stats().messages_rejected; }

  core::SteadyClock clock;
  transport::InProcessNetwork network{2};
  std::unique_ptr<transport::Endpoint> bad = network.endpoint(1);
  Node node{network.endpoint(0), {}, {}, clock};
  RemoteMemory memory{node.messenger};
  Collectives collectives{node.messenger};
  Ear ear{node.messenger};

 private:
  void message(Rank, core::Buffer&&) override {}
  void bulk(Rank, transport::BulkTag, core::Buffer&&) override {}
  void peer_failed(Rank, const char*) override {}
};

TEST_F(BadSender, A7_every_declared_message_is_rejected_when_cut_off_and_when_too_long) {
  int declared = 0;
  for (const HandlerTable::Entry* entry : node.messenger.handlers().entries()) {
    if (entry->declaration == nullptr) continue;
    ++declared;
    const MessageDeclaration& message = *entry->declaration;
    EXPECT_EQ(entry->id, handler_id(message.kind.name));
    core::Packer packer(core::Buffer::allocate(256));
    message.write_example(packer);
    core::Buffer bytes = packer.take();
    std::uint64_t before = rejected();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      send(entry->id, bytes.bytes().first(length));
      EXPECT_EQ(rejected(), ++before) << message.signature << " cut off at " << length;
    }
    if (message.kind.behind != Behind::nothing) continue;
    bytes.append("+", 1);
    send(entry->id, bytes.bytes());
    EXPECT_EQ(rejected(), before + 1) << message.signature << " with more than its fields";
  }
  EXPECT_EQ(declared, 3 + 2 + 11 + 1 + 3) << "messenger, epochs, memory, collectives, test";
  EXPECT_THAT(ear.log.lines(), ElementsAre());
}

TEST_F(BadSender, A6_another_build_is_named_whatever_its_details_look_like) {
  core::Packer packer(core::Buffer::allocate(256));
  core::pack(packer, std::uint64_t{1}, std::string("roam 9, wire format 77"), std::uint8_t{3});
  send(handler_id("roam.hello"), packer.take().bytes());
  EXPECT_THAT(
      node.failures.lines(),
      ElementsAre(AllOf(HasSubstr("ranks 0 and 1 do not run the same program"),
                        HasSubstr(std::string(build_id())), HasSubstr("roam 9, wire format 77"))));
  EXPECT_THAT(std::string(build_id()), HasSubstr("wire format " + std::to_string(wire_version)));
}

}  // namespace roam::am::testing::system_message_test
