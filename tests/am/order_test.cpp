// SPDX-License-Identifier: Apache-2.0
// A2 order, A3 flow control, A8 progress modes.
#include <gmock/gmock.h>

#include "am/am_world.hpp"

namespace roam::am::testing::order_test {

void numbered(int number, const std::vector<std::byte>& ballast) {
  const auto expected = static_cast<std::byte>(number);
  const bool intact = std::ranges::all_of(ballast, [&](std::byte b) { return b == expected; });
  log().add(intact ? std::to_string(number) : "damaged");
}

std::vector<std::string> counting(int count) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) lines.push_back(std::to_string(i));
  return lines;
}

class Order : public OnEveryNetwork {};
INSTANTIATE_TEST_SUITE_P(Networks, Order, ::testing::ValuesIn(all_networks()), network_name);

TEST_P(Order, A2_messages_start_in_the_order_sent_whatever_their_size) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    WorldOptions options{.ranks = 3};
    options.seed = seed;
    options.messenger.message_threshold_bytes = 4096;
    const auto world = make(options);
    constexpr int count = 120;
    world->run([&](Node& node) -> Task<> {
      if (node.messenger.rank() != 2) {
        core::Random random(seed);
        for (int i = 0; i < count; ++i) {
          // Small messages, some that are split-phase, some longer than any message of the
          // transport.
          const std::size_t sizes[] = {0, 10, 1000, 5000, 100'000, 300'000};
          const std::size_t size = i % 7 == 0 ? sizes[3 + random.below(3)] : sizes[random.below(3)];
          node.messenger.send<&numbered>(
              2, node.messenger.rank().value() == 0 ? i : -1 - i,
              std::vector<std::byte>(
                  size, static_cast<std::byte>(node.messenger.rank().value() == 0 ? i : -1 - i)));
          if (i % 10 == 0) co_await Pause(std::chrono::microseconds(30));
        }
      } else {
        co_await until([&] { return node.log.size() == 2 * count; });
      }
    });
    std::vector<std::string> from_first;
    std::vector<std::string> from_second;
    for (const std::string& line : (*world)[2].log.lines()) {
      (line.starts_with("-") ? from_second : from_first).push_back(line);
    }
    EXPECT_EQ(from_first, counting(count)) << "seed " << seed;
    ASSERT_EQ(from_second.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(from_second[static_cast<std::size_t>(i)], std::to_string(-1 - i));
  }
}

TEST_P(Order, A2_replies_keep_the_order_of_messages_too) {
  // A request behind split-phase messages starts after them.
  const auto world = make();
  world->run([&](Node& node) -> Task<> {
    if (node.messenger.rank() != 0) co_return;
    for (int i = 0; i < 20; ++i) {
      node.messenger.send<&numbered>(
          1, 2 * i, std::vector<std::byte>(200'000, static_cast<std::byte>(2 * i)));
      co_await node.messenger.request<&numbered>(1, 2 * i + 1, std::vector<std::byte>());
    }
  });
  EXPECT_EQ((*world)[1].log.lines(), counting(40));
}

void swallow(const std::vector<std::byte>& ballast) { log().add(static_cast<int>(ballast.size())); }

TEST_P(Order, A3_ranks_that_flood_each_other_do_not_deadlock) {
  WorldOptions options;
  options.messenger.message_threshold_bytes = 4096;
  options.messenger.high_water_bytes = 64 * 1024;
  const auto world = make(options);
  constexpr std::size_t count = 600;
  std::atomic<std::size_t> most{0};
  world->run([&](Node& node) -> Task<> {
    const Rank other(1 - node.messenger.rank().value());
    for (std::size_t i = 0; i < count; ++i) {
      // In total 300 times the high-water mark, in small and split-phase messages.
      node.messenger.send<&swallow>(other, std::vector<std::byte>(i % 2 == 0 ? 1000 : 60'000));
      most = std::max(most.load(), node.endpoint->unsent_bytes());
    }
    co_await until([&] { return node.log.size() == count; });
  });
  if (GetParam().name == "in_process") {
    EXPECT_LE(most.load(), options.messenger.high_water_bytes)
        << "the sender helps until there is room";
  }
}

TEST(FlowControl, A3_threads_outside_the_runtime_may_flood_too) {
  WorldOptions options;
  options.messenger.high_water_bytes = 16 * 1024;
  ThreadWorld world(options);
  constexpr std::size_t count = 2000;
  std::vector<std::thread> threads;
  world.run([&](Node& node) -> Task<> {
    if (node.messenger.rank() == 0) {
      for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&] {
          for (std::size_t i = 0; i < count / 2; ++i) {
            node.messenger.send<&swallow>(1, std::vector<std::byte>(1000));
          }
        });
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      node.messenger.send<&swallow>(1 - node.messenger.rank().value(),
                                    std::vector<std::byte>(1000));
    }
    const std::size_t expected = node.messenger.rank() == 1 ? 2 * count : count;
    co_await until([&] { return node.log.size() == expected; });
  });
  for (std::thread& thread : threads) thread.join();
}

TEST(FlowControl, A3_what_is_sent_inside_progress_never_waits) {
  // A timer sends above the high-water mark although its rank can make progress only on the timer's
  // own thread.
  WorldOptions options;
  options.messenger.high_water_bytes = 1024;
  ThreadWorld world(options);
  constexpr std::size_t count = 100;
  world.run([&](Node& node) -> Task<> {
    if (node.messenger.rank() == 0) {
      node.engine.call_at(node.engine.now(), [&] {
        for (std::size_t i = 0; i < count; ++i)
          node.messenger.send<&swallow>(1, std::vector<std::byte>(1000));
      });
    } else {
      co_await until([&] { return node.log.size() == count; });
    }
  });
}

// A8: one program, three modes.
int next_of_chain(int n) { return n % 2 == 0 ? n / 2 : 3 * n + 1; }

class Modes : public ::testing::TestWithParam<ProgressMode> {};
INSTANTIATE_TEST_SUITE_P(All, Modes,
                         ::testing::Values(ProgressMode::shared, ProgressMode::dedicated,
                                           ProgressMode::polling),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST_P(Modes, A8_all_give_the_same_results) {
  for (const Network& network : all_networks()) {
    WorldOptions options{.ranks = 3};
    options.engine.progress = GetParam();
    const auto world = network.make(options);
    std::vector<int> steps(3);
    world->run([&](Node& node) -> Task<> {
      const auto rank = node.messenger.rank().index();
      int value = static_cast<int>(27 + rank);
      while (value != 1) {
        value = co_await node.messenger.request<&next_of_chain>(
            static_cast<std::int32_t>((rank + 1) % 3), value);
        ++steps[rank];
      }
      for (int i = 0; i < 30; ++i) {
        node.messenger.send<&numbered>(
            static_cast<std::int32_t>((rank + 1) % 3), i,
            std::vector<std::byte>(i % 10 == 0 ? 50'000 : 10, static_cast<std::byte>(i)));
      }
      co_await until([&] { return node.log.size() == 30; });
    });
    EXPECT_THAT(steps, ::testing::ElementsAre(111, 18, 18)) << network.name;
    for (const auto& node : world->nodes)
      EXPECT_EQ(node->log.lines(), counting(30)) << network.name;
  }
}

TEST(Simulation, R1_the_same_seed_gives_the_same_messages) {
  const auto times = [](std::uint64_t seed) {
    std::string all;
    const auto networks = all_networks();
    WorldOptions options{.ranks = 3};
    options.seed = seed;
    const auto world = networks.back().make(options);
    world->run([&](Node& node) -> Task<> {
      for (int i = 0; i < 20; ++i) {
        const auto next = static_cast<std::int32_t>((node.messenger.rank().index() + 1) % 3);
        (void)co_await node.messenger.request<&next_of_chain>(next, i);
        all += std::to_string(node.engine.now().count()) + " ";
      }
    });
    return all;
  };
  EXPECT_EQ(times(1), times(1));
  EXPECT_NE(times(1), times(2));
}

}  // namespace roam::am::testing::order_test
