// SPDX-License-Identifier: Apache-2.0
// Batches of small messages: A1 delivery, A2 order, A3 nothing is held back, with many seeds and on
// threads. For invalid batches see batch_rejection_test.cpp.
#include <gmock/gmock.h>

#include <numeric>

#include "am/am_world.hpp"
#include "roam/core/error.hpp"

namespace roam::am::testing::batch_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct SystemNumber {
  static constexpr MessageKind kind{"test.batch.system"};
  int number = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.number); }
};

void hear(int number, const std::vector<std::byte>& ballast) {
  const auto expected = static_cast<std::byte>(number);
  const bool intact = std::ranges::all_of(ballast, [&](std::byte b) { return b == expected; });
  log().add(intact ? std::to_string(number) : "damaged");
}
void hear_number(int number) { log().add(number); }
Task<int> hear_and_answer(int number) {
  log().add(number);
  co_await Pause(std::chrono::microseconds(number % 3));
  co_return 2 * number;
}
Task<> hear_later(int number, const std::vector<std::byte>& ballast) {
  log().add(number);
  co_await Pause(std::chrono::microseconds(10));
  // The arguments are still valid.
  const auto expected = static_cast<std::byte>(number);
  if (!std::ranges::all_of(ballast, [&](std::byte b) { return b == expected; }))
    log().add("damaged");
}
void explode(int number) { throw std::runtime_error("number " + std::to_string(number)); }
int explode_and_tell(int number) { throw std::runtime_error("told " + std::to_string(number)); }
void hear_slowly(int number) {
  log().add(number);
  exec::current()->engine->compute(std::chrono::microseconds(30));
}

std::vector<std::string> counting(int count) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) lines.push_back(std::to_string(i));
  return lines;
}

/// The numbers a system handler has taken, per rank.
struct SystemEar {
  std::vector<int> heard;
  void hear(const SystemNumber& message) { heard.push_back(message.number); }
};

void post_to_system(Messenger& messenger, Rank to, int number) {
  messenger.post(to, SystemNumber{number});
}

/// The size of additional data that makes a message part of a batch, too long for one, or
/// split-phase.
std::size_t some_size(core::Random& random) {
  const std::uint64_t kind = random.below(12);
  if (kind == 0) return 4000 + random.below(20'000);
  if (kind < 3) return 250 + random.below(2000);
  return random.below(100);
}

/// `count` messages from rank 0 to rank 1 of every kind, in bursts; every third number goes to the
/// system handler too.
Task<> exchange_messages(Node& node, std::uint64_t seed, int count) {
  core::Random random(seed);
  Messenger& m = node.messenger;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t kind = random.below(25);
    const std::vector<std::byte> ballast(some_size(random), static_cast<std::byte>(i));
    if (kind == 0) {
      const int answer = co_await m.request<&hear_and_answer>(1, i);
      EXPECT_EQ(answer, 2 * i);
    } else if (kind < 4) {
      m.send<&hear_later>(1, i, ballast);
    } else if (kind < 15) {
      m.send<&hear_number>(1, i);
    } else {
      m.send<&hear>(1, i, ballast);
    }
    if (i % 3 == 0) post_to_system(m, 1, i);
    if (kind == 5) co_await Pause(std::chrono::microseconds(random.below(40)));
  }
}

void expect_all_in_order(World& world, std::vector<SystemEar>& ears, int count,
                         const std::string& where) {
  EXPECT_EQ(world[1].log.lines(), counting(count)) << where;
  std::vector<int> thirds((static_cast<std::size_t>(count) + 2) / 3);
  for (std::size_t i = 0; i < thirds.size(); ++i) thirds[i] = static_cast<int>(3 * i);
  EXPECT_EQ(ears[1].heard, thirds) << where;
  for (const auto& node : world.nodes) {
    EXPECT_EQ(node->messenger.stats().messages_rejected, 0U) << where;
    EXPECT_THAT(node->errors.lines(), ElementsAre()) << where;
  }
  EXPECT_EQ(world[0].messenger.counted_sent() + world[1].messenger.counted_sent(),
            world[0].messenger.counted_received() + world[1].messenger.counted_received())
      << where;
}

void run_exchange(World& world, std::uint64_t seed, int count, const std::string& where) {
  std::vector<SystemEar> ears(world.nodes.size());
  for (std::size_t i = 0; i < ears.size(); ++i) world[i].messenger.bind<&SystemEar::hear>(ears[i]);
  world.run([&](Node& node) -> Task<> {
    if (node.messenger.rank() == 0) {
      co_await exchange_messages(node, seed, count);
    } else {
      const auto& own = ears[1].heard;
      const std::size_t thirds = (static_cast<std::size_t>(count) + 2) / 3;
      co_await until([&] {
        return node.log.size() >= static_cast<std::size_t>(count) &&
               node.messenger.counted_received() >= static_cast<std::size_t>(count) + thirds;
      });
      EXPECT_EQ(own.size(), thirds);
    }
    co_await Pause(std::chrono::milliseconds(2));  // the replies have been taken in, too
  });
  expect_all_in_order(world, ears, count, where);
}

TEST(Batches, A1_A2_every_message_once_and_in_order_from_every_seed) {
  constexpr int count = 120;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    WorldOptions options;
    options.seed = seed;
    options.engine.workers = seed % 3 == 0 ? 3 : 1;
    options.messenger.message_threshold_bytes = 4096;
    options.messenger.batch_bytes = std::size_t{300} << seed % 5;
    transport::SimulatedNetworkParameters parameters;
    parameters.levels[0].jitter = 3.0;
    parameters.jitter_delay = std::chrono::microseconds(seed % 20);
    parameters.reorder = seed % 2 == 0;
    SimulatedWorld world(options, parameters);
    run_exchange(world, seed, count, "seed " + std::to_string(seed));
    if (HasFailure()) return;
  }
}

class BatchThreads : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, BatchThreads, ::testing::Values(1U, 2U));

TEST_P(BatchThreads, A1_A2_every_message_once_and_in_order) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    WorldOptions options;
    options.engine.workers = GetParam();
    options.messenger.message_threshold_bytes = 4096;
    options.messenger.batch_bytes = std::size_t{256} << seed;
    ThreadWorld world(options);
    if (GetParam() == 1) {
      run_exchange(world, seed, 1500, "seed " + std::to_string(seed));
    } else {  // handlers of two workers record messages concurrently
      world.run([&](Node& node) -> Task<> {
        if (node.messenger.rank() == 0) {
          for (int i = 0; i < 1500; ++i) node.messenger.send<&hear>(1, i, std::vector<std::byte>());
        } else {
          co_await until([&] { return node.log.size() >= 1500; });
        }
      });
      std::vector<std::string> heard = world[1].log.lines();
      std::vector<std::string> expected = counting(1500);
      std::ranges::sort(heard);
      std::ranges::sort(expected);
      EXPECT_EQ(heard, expected);
    }
  }
}

TEST_P(BatchThreads, failures_of_one_handler_are_reported_and_leave_the_others_alone) {
  WorldOptions options;
  options.engine.workers = GetParam();
  options.messenger.batch_bytes = 1024;
  ThreadWorld world(options);
  constexpr int count = 100;
  world.run([&](Node& node) -> Task<> {
    Messenger& m = node.messenger;
    if (m.rank() == 0) {
      std::vector<Reply<int>> replies;
      for (int i = 0; i < count; ++i) {
        m.send<&hear>(1, i, std::vector<std::byte>());
        m.send<&explode>(1, i);
        replies.push_back(m.request<&explode_and_tell>(1, i));
      }
      for (int i = 0; i < count; ++i) {
        std::string text;
        try {
          (void)co_await replies[static_cast<std::size_t>(i)];
        } catch (const RemoteError& error) {
          text = error.what();
        }
        EXPECT_THAT(text, HasSubstr("told " + std::to_string(i)));
      }
    } else {
      co_await until([&] { return node.log.size() + node.errors.size() >= 2 * count; });
    }
  });
  EXPECT_EQ(world[1].log.size(), std::size_t{count});
  ASSERT_EQ(world[1].errors.size(), std::size_t{count});
  EXPECT_THAT(world[1].errors.lines(),
              ::testing::Each(::testing::AllOf(HasSubstr("rank 1, handler"), HasSubstr("explode"),
                                               HasSubstr("number "))));
  EXPECT_EQ(world[1].messenger.stats().messages_rejected, 0U);
}

TEST(Batches, A2_slow_handlers_of_a_batch_give_way_to_the_network_but_not_to_each_other) {
  WorldOptions options;
  options.messenger.batch_bytes = 4096;
  ThreadWorld world(options);
  constexpr int count = 200;
  world.run([&](Node& node) -> Task<> {
    Messenger& m = node.messenger;
    if (m.rank() == 0) {
      for (int i = 0; i < count; ++i) m.send<&hear_slowly>(1, i);
    }
    co_await until([&] { return world[1].log.size() == count; });
  });
  EXPECT_EQ(world[1].log.lines(), counting(count));
}

/// A node that the test turns by hand, and the messages that its endpoint has been given for rank
/// 1.
class ByHand : public ::testing::Test, private transport::Sink {
 protected:
  ByHand() : peer(network.endpoint(1)) {
    MessengerOptions options;
    options.batch_bytes = 1024;
    node = std::make_unique<Node>(network.endpoint(0), exec::EngineOptions{}, options, clock);
  }
  ~ByHand() override {
    node.reset();
    peer->close(false);
  }
  void send(int count) {
    for (int i = 0; i < count; ++i)
      node->messenger.send<&hear>(1, next++, std::vector<std::byte>());
  }
  /// The number of network messages that have arrived since, and of the messages in them.
  std::size_t arrivals() {
    arrived = 0;
    while (peer->progress(*this, 100) > 0) {
    }
    return arrived;
  }

  core::SteadyClock clock;
  transport::InProcessNetwork network{2};
  std::unique_ptr<Node> node;
  std::unique_ptr<transport::Endpoint> peer;
  int next = 0;
  std::size_t arrived = 0;
  std::size_t entries = 0;
  std::size_t batch_bytes = 0;  // the size of the last one that arrived

 private:
  void message(Rank, core::Buffer&& data) override {
    ++arrived;
    WireHeader header;
    ASSERT_TRUE(read_header(data.bytes(), header));
    if ((header.flags & WireHeader::batch) == 0) {
      ++entries;
      return;
    }
    batch_bytes = data.size();
    BatchReader reader(data.bytes().subspan(sizeof header));
    BatchEntry entry;
    for (std::span<const std::byte> payload; reader.next(entry, payload);) ++entries;
  }
  void bulk(Rank, transport::BulkTag, core::Buffer&&) override {}
  void peer_failed(Rank, const char*) override {}
};

TEST_F(ByHand, A3_a_lone_message_is_not_held_back) {
  for (int i = 0; i < 20; ++i) {
    send(1);
    EXPECT_EQ(arrivals(), 1U) << "message " << i << " waits for something";
    (void)node->engine.step(0);
  }
}

TEST_F(ByHand, A3_what_is_held_back_goes_with_the_next_turn) {
  send(12);
  EXPECT_EQ(arrivals(), 4U) << "the first few go alone";
  (void)node->engine.step(0);
  EXPECT_EQ(arrivals(), 1U);
  EXPECT_EQ(entries, 12U);
}

TEST_F(ByHand, a_batch_that_is_full_goes_at_once) {
  send(200);
  EXPECT_GT(arrivals(), 4U + 2U);
  EXPECT_LT(entries, 200U);
  (void)node->engine.step(0);
  arrivals();
  EXPECT_EQ(entries, 200U);
}

TEST_F(ByHand, what_is_sent_counts_at_once_and_exactly) {
  // M10: quiescence must not miss a message because it waits in a batch.
  const auto before = node->messenger.stats();
  for (std::uint64_t i = 1; i <= 300; ++i) {
    node->messenger.send<&hear_number>(1, static_cast<int>(i));
    EXPECT_EQ(node->messenger.counted_sent(), i);
    const auto now = node->messenger.stats();
    EXPECT_EQ(now.messages_sent - before.messages_sent, i);
    EXPECT_EQ(now.bytes_sent - before.bytes_sent, i * (sizeof(WireHeader) + 8 + sizeof(int)));
  }
  node->messenger.flush();
  arrivals();
  EXPECT_EQ(entries, 300U);
}

TEST_F(ByHand, messages_of_one_handler_and_size_share_an_entry) {
  for (int i = 0; i < 64; ++i) node->messenger.send<&hear_number>(1, i);
  node->messenger.flush();
  arrivals();
  EXPECT_EQ(entries, 64U);
  EXPECT_EQ(batch_bytes, sizeof(WireHeader) + sizeof(BatchEntry) + 60 * (8 + sizeof(int)));
}

TEST(BatchWriters, what_is_written_is_read) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    core::Random random(seed);
    const std::size_t limit = 64 + random.below(4000);
    BatchWriter writer;
    writer.begin(core::Buffer::allocate(limit), limit);
    std::vector<std::pair<BatchEntry, std::vector<std::byte>>> written;
    for (;;) {
      const std::uint16_t flags = random.below(8) == 0 ? 0 : WireHeader::counted;
      std::vector<std::byte> payload(random.below(3) * 8 + (random.below(6) == 0 ? 3 : 0));
      for (std::byte& b : payload) b = static_cast<std::byte>(random());
      if (!writer.has_space(payload.size())) break;
      const BatchEntry entry{static_cast<std::uint32_t>(random.below(2)),
                             static_cast<std::uint16_t>(payload.size()), flags};
      std::array<std::byte, 16> record{};
      const bool is_record = payload.size() == record.size() && flags != 0;
      if (is_record) std::ranges::copy(payload, record.begin());
      if (!is_record || !writer.append_like_last(entry.handler, record))
        std::ranges::copy(payload, writer.append(entry));
      written.emplace_back(entry, std::move(payload));
    }
    const core::Buffer batch = writer.seal();
    EXPECT_FALSE(writer.is_open());
    ASSERT_LE(batch.size(), limit);
    WireHeader header;
    ASSERT_TRUE(read_header(batch.bytes(), header));
    BatchReader reader(batch.bytes().subspan(sizeof header));
    BatchEntry entry;
    std::span<const std::byte> payload;
    for (const auto& [expected, bytes] : written) {
      ASSERT_TRUE(reader.next(entry, payload)) << "seed " << seed;
      EXPECT_EQ(entry.handler, expected.handler);
      EXPECT_EQ(entry.is_counted(), expected.is_counted());
      ASSERT_TRUE(std::ranges::equal(payload, bytes)) << "seed " << seed;
    }
    EXPECT_TRUE(reader.at_end());
  }
}

TEST_F(ByHand, A2_long_and_bulk_messages_take_the_batch_before_them_along) {
  send(10);
  node->messenger.send<&hear>(1, next, std::vector<std::byte>(1500, static_cast<std::byte>(next)));
  ++next;
  EXPECT_EQ(arrivals(), 4U + 1U + 1U) << "four alone, the batch, the long one";
  EXPECT_EQ(entries, 11U);
  send(5);
  node->messenger.send<&hear>(1, next, std::vector<std::byte>(100'000));
  EXPECT_EQ(arrivals(), 1U + 1U) << "the batch, the announcement";
}

TEST_F(ByHand, flush_before_the_end_sends_what_is_held_back) {
  send(50);
  arrivals();
  EXPECT_LT(entries, 50U);
  node->messenger.flush();
  arrivals();
  EXPECT_EQ(entries, 50U);
}

TEST_F(ByHand, what_is_held_back_at_an_abort_is_freed) { send(50); }

TEST(Batches, what_has_not_run_at_an_abort_is_freed) {
  // The end comes in every state of a message: unsent, arrived, partly run and to be continued, in
  // a coroutine, behind slow ones.
  for (int steps = 0; steps < 12; ++steps) {
    core::SteadyClock clock;
    transport::InProcessNetwork network(2);
    MessengerOptions options;
    options.batch_bytes = 2048;
    Node first(network.endpoint(0), {}, options, clock);
    Node second(network.endpoint(1), {.workers = steps % 3 == 2 ? 2U : 1U}, options, clock);
    for (int i = 0; i < 40; ++i) {
      first.messenger.send<&hear_slowly>(1, i);
      first.messenger.send<&hear_later>(1, i, std::vector<std::byte>(20, std::byte(i)));
      (void)first.messenger.request<&hear_and_answer>(1, i);
    }
    if (steps % 2 == 0) (void)first.engine.step(0);
    for (int i = 0; i < steps; ++i) (void)second.engine.step(0);
  }
}

}  // namespace roam::am::testing::batch_test
