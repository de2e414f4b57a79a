// SPDX-License-Identifier: Apache-2.0
// A1, A2 over networks that are made to reorder; and the code that restores the order is not used
// if the network preserves it.
#include <gmock/gmock.h>

#include <cstring>
#include <span>

#include "am/am_world.hpp"

namespace roam::am::testing::reordering_test {

using ::testing::ElementsAre;
using transport::testing::ReorderingEndpoint;
using transport::testing::ReorderingOptions;

void hear(int number, const std::vector<std::byte>& ballast) {
  const auto expected = static_cast<std::byte>(number);
  const bool intact = std::ranges::all_of(ballast, [&](std::byte b) { return b == expected; });
  log().add(intact ? std::to_string(number) : "damaged");
}
int hear_and_answer(int number) {
  log().add(number);
  return number;
}

std::vector<std::string> counting(int count) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) lines.push_back(std::to_string(i));
  return lines;
}

/// Sends `count` numbers to rank 1: bursts of small messages (batches), some split-phase, some
/// answered.
Task<> exchange_messages(Node& node, std::uint64_t seed, int count) {
  core::Random random(seed);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t kind = random.below(30);
    if (kind == 0) {
      const int answer = co_await node.messenger.request<&hear_and_answer>(1, i);
      EXPECT_EQ(answer, i);
    } else {
      const std::size_t size = kind < 4 ? 20'000 * kind : random.below(80);
      node.messenger.send<&hear>(1, i, std::vector<std::byte>(size, static_cast<std::byte>(i)));
    }
  }
}

Task<> exchange_or_wait(Node& node, std::uint64_t seed, int count) {
  if (node.messenger.rank() == 0) {
    co_await exchange_messages(node, seed, count);
  } else {
    co_await until([&] { return node.log.size() == static_cast<std::size_t>(count); });
  }
}

std::uint64_t overtakings(Node& node) {
  return dynamic_cast<ReorderingEndpoint&>(*node.endpoint).overtakings();
}

TEST(Reordering, A1_A2_order_is_restored_over_an_ordered_network_made_to_reorder_from_every_seed) {
  constexpr int count = 150;
  std::uint64_t overtaken = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    WorldOptions options;
    options.seed = seed;
    options.messenger.message_threshold_bytes = 4096;
    transport::SimulatedNetworkParameters parameters;
    parameters.levels[0].jitter = 1.0;
    const ReorderingOptions shim{.seed = seed,
                                 .longest_turns = 1 + seed % 9,
                                 .most_held = 4 + seed % 60,
                                 .batch_bytes = seed % 2 * 512};
    SimulatedWorld world(options, parameters, reordering(shim));
    world.run([&](Node& node) { return exchange_or_wait(node, seed, count); });
    ASSERT_EQ(world[1].log.lines(), counting(count)) << "seed " << seed;
    ASSERT_EQ(world[1].messenger.stats().messages_rejected, 0U) << "seed " << seed;
    overtaken += overtakings(world[1]);
  }
  EXPECT_GT(overtaken, 1000U) << "the test has tested nothing";
}

TEST(Reordering, A1_A2_order_is_restored_between_threads) {
  constexpr int count = 2000;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    WorldOptions options;
    options.seed = seed;
    options.messenger.message_threshold_bytes = 4096;
    ThreadWorld world(options, reordering({.seed = seed, .batch_bytes = seed % 2 * 1024}));
    world.run([&](Node& node) { return exchange_or_wait(node, seed, count); });
    EXPECT_EQ(world[1].log.lines(), counting(count)) << "seed " << seed;
    EXPECT_GT(overtakings(world[1]), 0U) << "the test has tested nothing";
  }
}

TEST(Reordering, A2_many_senders_of_one_rank_do_not_disturb_each_others_numbers) {
  // Outside threads, workers and system handlers send concurrently through one endpoint.
  constexpr int each = 500;
  WorldOptions options;
  options.engine.workers = 2;
  ThreadWorld world(options, reordering({.seed = 8, .longest_turns = 3}));
  std::vector<std::thread> threads;
  world.run([&](Node& node) -> Task<> {
    if (node.messenger.rank() == 0) {
      for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&node] {
          for (int i = 0; i < each; ++i) node.messenger.send<&hear>(1, i, std::vector<std::byte>());
        });
      }
      for (int i = 0; i < each; ++i) (void)co_await node.messenger.request<&hear_and_answer>(1, i);
    } else {
      co_await until([&] { return node.log.size() == 3 * each; });
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(world[0].messenger.stats().messages_rejected, 0U);
  EXPECT_EQ(world[1].messenger.stats().messages_rejected, 0U);
}

/// Records the sequence numbers of what is sent through it.
class Watched final : public transport::Network {
 public:
  using Sequences = std::vector<std::uint32_t>;
  Watched(std::unique_ptr<transport::Network> inner, bool ordered, Sequences& sequences)
      : inner_(std::move(inner)), ordered_(ordered), sequences_(sequences) {}
  [[nodiscard]] std::int32_t size() const override { return inner_->size(); }
  [[nodiscard]] std::vector<Rank> local_ranks() const override { return inner_->local_ranks(); }
  [[nodiscard]] std::unique_ptr<transport::Endpoint> endpoint(Rank rank) override {
    return std::make_unique<End>(inner_->endpoint(rank), *this);
  }
  [[nodiscard]] const char* name() const override { return inner_->name(); }
  void abort(int status) override { inner_->abort(status); }

 private:
  class End final : public transport::Endpoint {
   public:
    End(std::unique_ptr<transport::Endpoint> inner, Watched& network)
        : inner_(std::move(inner)), network_(network), capabilities_(inner_->capabilities()) {
      capabilities_.ordered = network.ordered_;
    }
    [[nodiscard]] Rank rank() const override { return inner_->rank(); }
    [[nodiscard]] std::int32_t size() const override { return inner_->size(); }
    [[nodiscard]] const transport::Capabilities& capabilities() const override {
      return capabilities_;
    }
    void send(Rank destination, core::Buffer&& data) override {
      WireHeader header;
      ASSERT_TRUE(read_header(data.bytes(), header));
      if (rank() == 0) network_.sequences_.push_back(header.sequence);
      inner_->send(destination, std::move(data));
    }
    void send_bulk(Rank destination, transport::BulkTag tag, core::Buffer&& data) override {
      inner_->send_bulk(destination, tag, std::move(data));
    }
    void receive_bulk(Rank source, transport::BulkTag tag, std::size_t size,
                      core::Buffer target) override {
      inner_->receive_bulk(source, tag, size, std::move(target));
    }
    std::size_t progress(transport::Sink& sink, std::size_t limit) override {
      return inner_->progress(sink, limit);
    }
    [[nodiscard]] std::size_t unsent_bytes() const override { return inner_->unsent_bytes(); }
    void set_waker(std::function<void()> waker) override { inner_->set_waker(std::move(waker)); }
    void count_sleepers(int change) override { inner_->count_sleepers(change); }
    [[nodiscard]] Instant next_arrival() const override { return inner_->next_arrival(); }
    void close(bool aborting) override { inner_->close(aborting); }

   private:
    std::unique_ptr<transport::Endpoint> inner_;
    Watched& network_;
    transport::Capabilities capabilities_;
  };
  std::unique_ptr<transport::Network> inner_;
  const bool ordered_;
  Sequences& sequences_;
};

Watched::Sequences sequences_of_a_conversation(bool ordered) {
  Watched::Sequences sequences;
  WorldOptions options;
  SimulatedWorld world(options, {}, [&](std::unique_ptr<transport::Network> inner) {
    return std::make_unique<Watched>(std::move(inner), ordered, sequences);
  });
  world.run([](Node& node) { return exchange_or_wait(node, 5, 200); });
  EXPECT_EQ(world[1].log.lines(), counting(200));
  return sequences;
}

TEST(Reordering, A2_where_the_network_keeps_the_order_no_numbers_are_given) {
  const Watched::Sequences sequences = sequences_of_a_conversation(true);
  EXPECT_GE(sequences.size(), 200U);
  EXPECT_THAT(sequences, ::testing::Each(0U));
}

TEST(Reordering, A2_where_it_does_not_every_message_gets_the_next) {
  const Watched::Sequences sequences = sequences_of_a_conversation(false);
  ASSERT_GE(sequences.size(), 200U);
  for (std::uint32_t i = 0; i < sequences.size(); ++i) ASSERT_EQ(sequences[i], i);
}

TEST(Reordering, A2_where_the_network_keeps_the_order_nobody_looks_at_numbers) {
  // If the numbers were examined, all but the first message would wait for ever, or be refused as
  // repeated.
  core::SteadyClock clock;
  transport::InProcessNetwork network(2);
  const auto peer = network.endpoint(1);
  Node node(network.endpoint(0), {}, {}, clock);
  int number = 0;
  for (const std::uint32_t sequence : {7U, 3U, 3U, 0U, ~0U}) {
    core::Packer packer(core::Buffer::allocate(64));
    WireHeader header;
    packer.write(&header, sizeof header);
    core::pack(packer, std::uint64_t{0}, number++, std::vector<std::byte>());
    core::Buffer buffer = packer.take();
    header.handler = handler_id(core::value_symbol<&hear>());
    header.sequence = sequence;
    header.checked_size = static_cast<std::uint32_t>(buffer.size());
    std::memcpy(buffer.data(), &header, sizeof header);
    peer->send(0, std::move(buffer));
  }
  for (int i = 0; i < 20; ++i) (void)node.engine.step(0);
  EXPECT_THAT(node.log.lines(), ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_EQ(node.messenger.stats().messages_rejected, 0U);
  peer->close(false);
}

}  // namespace roam::am::testing::reordering_test
