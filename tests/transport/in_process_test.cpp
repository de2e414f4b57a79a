// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/in_process.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "roam/core/detail/buffer_pool.hpp"
#include "roam/core/error.hpp"
#include "roam/core/random.hpp"

namespace roam::transport::in_process_test {
namespace {

using core::Buffer;

struct Log final : Sink {
  void message(Rank source, Buffer&& data) override {
    sources.push_back(source);
    last = std::move(data);
  }
  void bulk(Rank source, BulkTag /*tag*/, Buffer&& data) override {
    sources.push_back(source);
    last = std::move(data);
  }
  void peer_failed(Rank peer, const char* reason) override {
    failed.push_back(peer);
    text = reason;
  }
  std::vector<Rank> sources;
  std::vector<Rank> failed;
  std::string text;
  Buffer last;
};

Buffer bytes(std::size_t size) {
  Buffer data = Buffer::allocate(size);
  data.set_size(size);
  return data;
}

TEST(InProcess, hands_over_the_block_itself) {
  InProcessNetwork network(2);
  const auto a = network.endpoint(0);
  const auto b = network.endpoint(1);
  Log log;
  Buffer message = bytes(100);
  const std::byte* const message_place = message.data();
  a->send(1, std::move(message));
  EXPECT_EQ(b->progress(log, 10), 1U);
  EXPECT_EQ(log.last.data(), message_place);

  Buffer large = bytes(1 << 20);
  const std::byte* const large_place = large.data();
  a->send_bulk(1, 3, std::move(large));
  EXPECT_EQ(b->progress(log, 10), 0U) << "not announced yet";
  b->receive_bulk(0, 3, 1 << 20);
  EXPECT_EQ(b->progress(log, 10), 1U);
  EXPECT_EQ(log.last.data(), large_place);
}

TEST(InProcess, pooled_messages_go_back_to_the_senders_pool) {
  const auto pool = core::BufferPool::create(64);
  InProcessNetwork network(2);
  const auto a = network.endpoint(0);
  const auto b = network.endpoint(1);
  Log log;
  a->send(1, pool->take());
  EXPECT_EQ(pool->blocks_in_use(), 1U);
  b->progress(log, 1);
  log.last.reset();
  EXPECT_EQ(pool->blocks_in_use(), 0U);
}

TEST(InProcess, unsent_bytes_are_those_the_peer_has_not_taken) {
  InProcessNetwork network(2);
  const auto a = network.endpoint(0);
  const auto b = network.endpoint(1);
  Log log;
  for (int i = 0; i < 3; ++i) a->send(1, bytes(10));
  EXPECT_EQ(a->unsent_bytes(), 30U);
  b->progress(log, 2);
  EXPECT_EQ(a->unsent_bytes(), 10U);
  b->progress(log, 2);
  EXPECT_EQ(a->unsent_bytes(), 0U);
  EXPECT_EQ(b->unsent_bytes(), 0U);
}

TEST(InProcess, a_rank_that_ends_early_is_reported_after_its_last_message) {
  InProcessNetwork network(3);
  auto a = network.endpoint(0);
  const auto b = network.endpoint(1);
  const auto c = network.endpoint(2);
  Log log;
  std::atomic<int> wakes{0};
  b->set_waker([&] { ++wakes; });
  a->send(1, bytes(1));
  a->close(true);
  EXPECT_GE(wakes, 1);
  EXPECT_EQ(b->progress(log, 1), 1U);
  EXPECT_TRUE(log.failed.empty());
  b->progress(log, 1);
  EXPECT_EQ(log.failed, std::vector<Rank>{0});
  b->progress(log, 1);
  EXPECT_EQ(log.failed.size(), 1U) << "reported once";
  b->send(0, bytes(8));  // dropped
  EXPECT_EQ(b->unsent_bytes(), 0U);
  Log other;
  c->progress(other, 1);
  EXPECT_EQ(other.failed, std::vector<Rank>{0});
  b->close(false);
  c->progress(other, 1);
  EXPECT_EQ(other.failed.size(), 1U) << "an orderly close is no failure";
}

TEST(InProcess, bulk_of_another_size_than_announced_is_a_failure) {
  InProcessNetwork network(2);
  const auto a = network.endpoint(0);
  const auto b = network.endpoint(1);
  Log log;
  b->receive_bulk(0, 1, 100);
  a->send_bulk(1, 1, bytes(99));
  b->progress(log, 10);
  EXPECT_TRUE(log.sources.empty());
  EXPECT_EQ(log.failed, std::vector<Rank>{0});
  EXPECT_NE(log.text.find("99 bytes where 100"), std::string::npos) << log.text;
}

TEST(InProcess, endpoints_are_handed_out_once) {
  InProcessNetwork network(2);
  const auto a = network.endpoint(0);
  EXPECT_THROW(static_cast<void>(network.endpoint(0)), Error);
  EXPECT_THROW(static_cast<void>(network.endpoint(2)), Error);
  EXPECT_THROW(static_cast<void>(network.endpoint(no_rank)), Error);
  EXPECT_THROW(InProcessNetwork(0), ConfigError);
}

// A thread that sleeps whenever progress() found nothing, without a time limit of its own: a missed
// wake is a hang.
class Sleeper {
 public:
  void wake() {
    {
      const std::lock_guard guard(mutex_);
      awake_ = true;
    }
    condition_.notify_one();
  }
  bool sleep() {
    std::unique_lock guard(mutex_);
    const bool woken =
        condition_.wait_for(guard, std::chrono::seconds(20), [this] { return awake_; });
    awake_ = false;
    return woken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool awake_ = false;
};

TEST(InProcess, wakes_whoever_sleeps) {
  constexpr std::uint64_t seed = 11;
  std::cout << "seed " << seed << std::endl;
  constexpr int senders = 3;
  constexpr std::size_t per_sender = 20000;
  InProcessNetwork network(senders + 1);
  const auto receiver = network.endpoint(senders);
  Sleeper sleeper;
  receiver->set_waker([&] { sleeper.wake(); });
  std::atomic<std::size_t> sleeps{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < senders; ++i) {
    threads.emplace_back([&, i] {
      const auto endpoint = network.endpoint(i);
      core::Random random(seed + static_cast<std::uint64_t>(i));
      for (std::size_t n = 0; n < per_sender; ++n) {
        // On a busy machine the receiver may have found something at each look, so it gets one more
        // message.
        if (i == 0 && n + 1 == per_sender) {
          const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (sleeps == 0 && std::chrono::steady_clock::now() < patience)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        // Pauses long enough for the receiver to fall asleep, also in the middle of bursts.
        if (random.below(50) == 0) std::this_thread::yield();
        if (random.below(500) == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(random.below(50)));
        endpoint->send(senders, bytes(8));
      }
      endpoint->close(false);
    });
  }
  Log log;
  bool woken = true;
  core::Random random(seed);
  while (woken && log.sources.size() < senders * per_sender) {
    if (receiver->progress(log, 1 + random.below(100)) > 0) continue;
    receiver->count_sleepers(1);
    if (receiver->progress(log, 1 + random.below(100)) == 0) {
      ++sleeps;
      woken = sleeper.sleep();
    }
    receiver->count_sleepers(-1);
  }
  EXPECT_TRUE(woken) << "asleep with " << senders * per_sender - log.sources.size()
                     << " messages to come";
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(log.sources.size(), senders * per_sender);
  EXPECT_GT(sleeps.load(), 0U);
}

TEST(InProcess, calls_the_waker_while_somebody_sleeps_once_between_looks) {
  InProcessNetwork network(2);
  const auto a = network.endpoint(0);
  const auto b = network.endpoint(1);
  Log log;
  int wakes = 0;
  b->set_waker([&] { ++wakes; });
  EXPECT_EQ(b->progress(log, 1), 0U);
  a->send(1, bytes(1));
  EXPECT_EQ(wakes, 0) << "nobody sleeps";
  EXPECT_EQ(b->progress(log, 1), 1U);
  b->count_sleepers(1);
  EXPECT_EQ(b->progress(log, 1), 0U);
  EXPECT_EQ(wakes, 0) << "nothing has come";
  a->send(1, bytes(1));
  a->send(1, bytes(1));
  EXPECT_EQ(wakes, 1);
  // One of two threads is awake, looks and is busy: the other one has to be woken.
  b->count_sleepers(1);
  b->count_sleepers(-1);
  EXPECT_EQ(b->progress(log, 9), 2U);
  a->send(1, bytes(1));
  EXPECT_EQ(wakes, 2);
  b->count_sleepers(-1);
  EXPECT_EQ(b->progress(log, 9), 1U);
  EXPECT_EQ(b->progress(log, 9), 0U);
  a->send(1, bytes(1));
  EXPECT_LE(wakes, 3);
  a->send(1, bytes(1));
  EXPECT_LE(wakes, 3);
}

TEST(InProcess, several_threads_of_one_rank_send_while_it_receives) {
  InProcessNetwork network(2);
  const auto a = network.endpoint(0);
  const auto b = network.endpoint(1);
  constexpr std::size_t per_thread = 5000;
  std::vector<std::thread> threads;
  for (std::uint8_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < per_thread; ++i) {
        Buffer data = Buffer::allocate(8);
        data.append(&i, sizeof i);
        data.append(&t, sizeof t);
        a->send(1, std::move(data));
      }
    });
  }
  // The messages of each thread remain in order.
  struct Order final : Sink {
    void message(Rank /*source*/, Buffer&& data) override {
      std::uint32_t index = 0;
      std::uint8_t thread = 0;
      std::memcpy(&index, data.data(), sizeof index);
      std::memcpy(&thread, data.data() + sizeof index, sizeof thread);
      EXPECT_EQ(index, next.at(thread));
      ++next.at(thread);
    }
    void bulk(Rank /*source*/, BulkTag /*tag*/, Buffer&& /*data*/) override {}
    void peer_failed(Rank /*peer*/, const char* /*reason*/) override {}
    std::vector<std::uint32_t> next = std::vector<std::uint32_t>(3);
  } order;
  for (std::size_t got = 0; got < 3 * per_thread;) got += b->progress(order, 100);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(a->unsent_bytes(), 0U);
}

TEST(InProcess, no_wake_after_close) {
  InProcessNetwork network(2);
  const auto a = network.endpoint(0);
  auto owner = std::make_unique<std::atomic<int>>(0);
  std::atomic<bool> stop{false};
  std::thread sender([&] {
    while (!stop) a->send(1, Buffer());
  });
  {
    const auto b = network.endpoint(1);
    b->set_waker([counter = owner.get()] { ++*counter; });
    b->count_sleepers(1);
    Log log;
    for (int i = 0; i < 100; ++i) b->progress(log, 10);
    b->close(false);
    owner.reset();  // a late wake would be a use after free
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  stop = true;
  sender.join();
}

}  // namespace
}  // namespace roam::transport::in_process_test
