// SPDX-License-Identifier: Apache-2.0
// A7: batches that a correct peer would not send are rejected and counted, and messages after them
// are received.
#include <gmock/gmock.h>

#include <cstring>

#include "am/am_world.hpp"

namespace roam::am::testing::batch_rejection_test {

using ::testing::ElementsAre;

struct Strict {
  static constexpr MessageKind kind{"test.batch.strict"};
  std::uint64_t number = 0;
  std::string text;
  static constexpr auto fields(auto& m) { return std::tie(m.number, m.text); }
};
struct StrictEar {
  void hear(const Strict& /*message*/) {}
};

void hear(int number) { log().add(number); }
std::uint32_t twice(std::uint32_t number) { return 2 * number; }
[[maybe_unused]] void mention(Messenger& m) {
  m.send<&hear>(0, 1);
  (void)m.request<&twice>(0, 1U);
}

/// A batch as a peer may make it, valid or not.
class Batch {
 public:
  Batch() { bytes_.resize(sizeof(WireHeader)); }
  /// Adds an entry of this handler, whose payload is the reply token and `values`.
  template <class... T>
  Batch& add(std::string_view handler, std::uint16_t flags, const T&... values) {
    core::Packer packer(core::Buffer::allocate(64));
    core::pack(packer, std::uint64_t{0}, values...);
    const core::Buffer payload = packer.take();
    return add_bytes({handler_id(handler), static_cast<std::uint16_t>(payload.size()), flags},
                     payload.bytes());
  }
  Batch& add_bytes(const BatchEntry& entry, std::span<const std::byte> payload) {
    append(&entry, sizeof entry);
    append(payload.data(), payload.size());
    return *this;
  }
  Batch& append(const void* data, std::size_t length) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + length);
    return *this;
  }
  Batch& cut(std::size_t length) {
    bytes_.resize(bytes_.size() - length);
    return *this;
  }
  [[nodiscard]] core::Buffer seal(std::uint16_t flags = WireHeader::batch) const {
    core::Buffer buffer = core::Buffer::allocate(bytes_.size());
    buffer.append(bytes_.data(), bytes_.size());
    WireHeader header;
    header.flags = flags;
    header.checked_size = static_cast<std::uint32_t>(buffer.size());
    std::memcpy(buffer.data(), &header, sizeof header);
    return buffer;
  }

 private:
  std::vector<std::byte> bytes_;
};

std::string_view hear_name() { return core::value_symbol<&hear>(); }
Batch& add_good(Batch& batch, int number) {
  return batch.add(hear_name(), WireHeader::counted, number);
}

/// Rank 0 is a messenger that the test steps by hand - with one worker it runs batches in place -
/// rank 1 is bare and sends what it likes.
class BadBatches : public ::testing::TestWithParam<std::uint32_t>, private transport::Sink {
 protected:
  BadBatches() : bad(network.endpoint(1)) {
    exec::EngineOptions engine;
    engine.workers = GetParam();
    node = std::make_unique<Node>(network.endpoint(0), engine, MessengerOptions{}, clock);
    node->messenger.bind<&StrictEar::hear>(ear);
  }
  ~BadBatches() override {
    node.reset();
    bad->close(false);
  }
  void settle() {
    for (int i = 0; i < 40; ++i) {
      for (std::uint32_t w = 0; w < GetParam(); ++w) (void)node->engine.step(w);
      bad->progress(*this, 100);
    }
  }
  [[nodiscard]] std::uint64_t rejected() const { return node->messenger.stats().messages_rejected; }
  void expect_good_one_heard() {
    const std::size_t heard = node->log.size();
    Batch good;
    bad->send(0, add_good(good, 77).seal());
    settle();
    EXPECT_EQ(node->log.size(), heard + 1) << "the next good message is not heard";
  }
  /// The whole batch is rejected: nothing reaches user code.
  void expect_rejected(core::Buffer data, const char* why) {
    const std::uint64_t before = rejected();
    const std::size_t heard = node->log.size();
    bad->send(0, std::move(data));
    settle();
    EXPECT_EQ(rejected(), before + 1) << why;
    EXPECT_EQ(node->log.size(), heard) << why << ": reached user code";
    expect_good_one_heard();
    EXPECT_THAT(node->errors.lines(), ElementsAre()) << why;
  }
  /// One entry is rejected, between two valid ones which are received.
  void expect_entry_rejected(const BatchEntry& entry, std::span<const std::byte> payload,
                             const char* why) {
    const std::uint64_t before = rejected();
    const std::size_t heard = node->log.size();
    Batch batch;
    add_good(batch, 1).add_bytes(entry, payload);
    bad->send(0, add_good(batch, 2).seal());
    settle();
    EXPECT_EQ(rejected(), before + 1) << why;
    const auto lines = node->log.lines();
    ASSERT_EQ(lines.size(), heard + 2) << why;
    EXPECT_EQ(lines[heard], "1") << why;
    EXPECT_EQ(lines[heard + 1], "2") << why;
    EXPECT_THAT(node->errors.lines(), ElementsAre()) << why;
  }

  core::SteadyClock clock;
  transport::InProcessNetwork network{2};
  StrictEar ear;
  std::unique_ptr<Node> node;
  std::unique_ptr<transport::Endpoint> bad;
  std::vector<core::Buffer> answers;

 private:
  void message(Rank, core::Buffer&& data) override { answers.push_back(std::move(data)); }
  void bulk(Rank, transport::BulkTag, core::Buffer&&) override {}
  void peer_failed(Rank, const char*) override {}
};
INSTANTIATE_TEST_SUITE_P(Workers, BadBatches, ::testing::Values(1U, 2U));

TEST_P(BadBatches, A7_good_ones_are_heard) {
  Batch batch;
  for (int i = 0; i < 3; ++i) add_good(batch, i);
  bad->send(0, batch.seal());
  settle();
  EXPECT_THAT(node->log.lines(), ElementsAre("0", "1", "2"));
  EXPECT_EQ(node->messenger.stats().messages_received, 3U);
  EXPECT_EQ(node->messenger.counted_received(), 3U);
  EXPECT_EQ(rejected(), 0U);
}

TEST_P(BadBatches, A7_what_is_no_list_of_entries_is_rejected_whole) {
  expect_rejected(Batch().seal(), "empty");
  Batch batch;
  expect_rejected(add_good(batch, 1).append("abc", 3).seal(), "half an entry behind a good one");
  batch = Batch();
  expect_rejected(add_good(batch, 1).cut(1).seal(), "a payload cut off");
  batch = Batch();
  add_good(batch, 1);
  expect_rejected(batch.add_bytes({handler_id(hear_name()), 65535, 0}, {}).seal(),
                  "a payload that is not there");
  for (std::size_t length = 1; length < sizeof(BatchEntry); ++length) {
    batch = Batch();
    expect_rejected(batch.append("abcdefgh", length).seal(), "a piece of an entry");
  }
}

TEST_P(BadBatches, A7_messages_that_an_entry_only_claims_reject_the_batch) {
  for (const std::uint32_t messages : {2U, 3U, 500U, 32768U}) {
    Batch batch;
    BatchEntry entry{handler_id(hear_name()), 12, WireHeader::counted};
    entry.set_messages(messages);
    add_good(batch, 1).add_bytes(entry, std::vector<std::byte>(12 * std::size_t{messages} - 1));
    expect_rejected(batch.seal(), "the last of several messages cut off");
  }
  // Few bytes must not stand for very many messages.
  for (std::uint16_t bytes = 0; bytes < 8; ++bytes) {
    Batch batch;
    add_good(batch, 1).add_bytes({handler_id(hear_name()), bytes, 0xffff},
                                 std::vector<std::byte>(std::size_t{bytes} << 15));
    expect_rejected(batch.seal(), "many messages of hardly any bytes");
  }
}

TEST_P(BadBatches, A7_messages_of_one_entry_are_rejected_one_by_one) {
  // 12 bytes are a reply token and a number. With 16 bytes each message is too long for the
  // handler.
  Batch batch;
  BatchEntry several{handler_id(hear_name()), 12, WireHeader::counted};
  several.set_messages(3);
  std::vector<std::byte> numbers(3 * 12);
  for (std::size_t i = 0; i < 3; ++i) numbers[12 * i + 8] = static_cast<std::byte>(i);
  BatchEntry long_ones{handler_id(hear_name()), 16, WireHeader::counted};
  long_ones.set_messages(40);
  BatchEntry unknown{0xdeadbeef, 8, 0};
  unknown.set_messages(5);
  batch.add_bytes(several, numbers).add_bytes(long_ones, std::vector<std::byte>(40 * 16));
  batch.add_bytes(unknown, std::vector<std::byte>(5 * 8)).add_bytes(several, numbers);
  bad->send(0, batch.seal());
  settle();
  EXPECT_THAT(node->log.lines(), ElementsAre("0", "1", "2", "0", "1", "2"));
  EXPECT_EQ(rejected(), 45U);
  EXPECT_EQ(node->messenger.counted_received(), 46U);
  EXPECT_THAT(node->errors.lines(), ElementsAre());
}

TEST_P(BadBatches, A7_flags_that_a_batch_cannot_have) {
  for (const std::uint16_t flag :
       {WireHeader::counted, WireHeader::announce, WireHeader::beside, WireHeader::with_bulk}) {
    Batch batch;
    const auto flags = static_cast<std::uint16_t>(WireHeader::batch | flag);
    expect_rejected(add_good(batch, 1).seal(flags), "a batch's flags");
  }
}

TEST_P(BadBatches, A7_a_batch_inside_a_batch_is_no_entry) {
  Batch inner;
  const core::Buffer nested = add_good(inner, 5).seal();
  // The entry's payload does not decode as arguments of the handler.
  expect_entry_rejected({handler_id(hear_name()), static_cast<std::uint16_t>(nested.size()), 0},
                        nested.bytes(), "a batch as arguments");
}

TEST_P(BadBatches, A7_entries_that_are_no_messages_of_any_handler) {
  const std::uint32_t hears = handler_id(hear_name());
  const std::vector<std::byte> zeros(64);
  const auto first = [&zeros](std::size_t count) { return std::span(zeros).first(count); };
  expect_entry_rejected({0xdeadbeef, 8, 0}, first(8), "unknown handler");
  expect_entry_rejected({0, 0, 0}, {}, "handler 0, no payload");
  expect_entry_rejected({hears, 0, WireHeader::counted}, {}, "not even a reply token");
  expect_entry_rejected({hears, 7, 0}, first(7), "most of a reply token");
  expect_entry_rejected({hears, 8, 0}, first(8), "no arguments");
  expect_entry_rejected({hears, 13, 0}, first(13), "an argument too many");
  expect_entry_rejected({message_id<Strict>, 3, 0}, first(3), "a system handler's message");
  expect_entry_rejected({handler_id("roam.reply"), 9, 0}, first(9), "a reply that nobody awaits");
}

TEST_P(BadBatches, A7_whoever_waits_for_arguments_that_do_not_decode_is_told) {
  std::vector<std::byte> token(8);
  token[0] = std::byte{42};
  expect_entry_rejected({handler_id(core::value_symbol<&twice>()), 8, 0}, token,
                        "a request without arguments");
  ASSERT_EQ(answers.size(), 1U);
  core::Unpacker bytes(answers[0].bytes().subspan(sizeof(WireHeader)));
  EXPECT_EQ(core::unpack<std::uint64_t>(bytes), 42U);
  EXPECT_EQ(core::unpack<std::uint8_t>(bytes),
            static_cast<std::uint8_t>(ReplyStatus::handler_failed));
}

TEST_P(BadBatches, A7_random_bytes_do_no_harm) {
  const std::uint64_t seed = 4;
  std::cout << "seed " << seed << "\n";
  core::Random random(seed);
  const std::vector<std::uint32_t> handlers = handlers_of(node->messenger, "batch_rejection_test");
  for (int i = 0; i < 2000; ++i) {
    Batch batch;
    for (std::uint64_t entries = random.below(5); entries > 0; --entries) {
      std::vector<std::byte> payload(random.below(60));
      for (std::byte& b : payload) b = static_cast<std::byte>(random());
      const auto size = static_cast<std::uint16_t>(payload.size() + (random.below(20) == 0));
      const std::uint16_t flags = random.below(10) == 0 ? static_cast<std::uint16_t>(random()) : 1;
      const std::uint32_t handler = handlers[random.below(handlers.size())];
      batch.add_bytes({handler, size, flags}, payload);
    }
    bad->send(0, batch.seal());
    settle();
  }
  EXPECT_GT(rejected(), 1000U);
  expect_good_one_heard();
}

}  // namespace roam::am::testing::batch_rejection_test
