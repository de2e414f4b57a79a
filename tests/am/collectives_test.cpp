// SPDX-License-Identifier: Apache-2.0
// Collectives: results, order, overlap, depth, on all networks and many seeds.
#include <gmock/gmock.h>
#include <cereal/types/list.hpp>

#include <bit>
#include <cmath>
#include <list>
#include <numeric>
#include <variant>

#include "am/collective_world.hpp"

namespace roam::am::testing::collectives_test {

using ::testing::ElementsAre;

/// Concatenation: associative, not commutative.
std::string joined(const std::string& a, const std::string& b) { return a + b; }
struct Larger {
  int operator()(int a, int b) const { return a < b ? b : a; }
};
void note(int number) { log().add(number); }

std::string name_of(int rank) { return "<" + std::to_string(rank) + ">"; }
std::string all_names(int size) {
  std::string all;
  for (int r = 0; r < size; ++r) all += name_of(r);
  return all;
}

/// Makes every kind of call once, to and from `root`.
Task<> all_kinds(Collectives& c, int size, Rank root) {
  const int rank = c.rank().value();
  const std::string mine = name_of(rank);
  EXPECT_EQ(co_await c.broadcast(root, mine), name_of(root.value()));
  const auto text = co_await c.reduce<&joined>(root, mine);
  EXPECT_EQ(text.has_value(), rank == root.value());
  if (text) {
    EXPECT_EQ(*text, all_names(size));
  }
  EXPECT_EQ(co_await c.allreduce<&joined>(mine), all_names(size));
  const std::vector<std::int64_t> numbers{1, rank, -rank};
  const std::int64_t sum = std::int64_t{size} * (size - 1) / 2;
  EXPECT_THAT(co_await c.allreduce<std::plus<>>(numbers), ElementsAre(size, sum, -sum));
  EXPECT_EQ(co_await c.allreduce<Min>(rank + 5), 5);
  EXPECT_EQ(co_await c.allreduce<Max>(rank), size - 1);
  EXPECT_EQ(co_await c.allreduce(rank, Larger{}), size - 1);
  EXPECT_EQ(co_await c.allreduce<std::logical_and<>>(rank != 0), false);
  EXPECT_EQ(co_await c.allreduce<std::logical_or<>>(rank == size - 1), true);
  const auto last = co_await c.reduce(root, rank, [](int, int b) { return b; });
  EXPECT_EQ(last, rank == root.value() ? std::optional(size - 1) : std::nullopt);
  // Values of different sizes.
  const std::vector<int> row(static_cast<std::size_t>(rank), rank);
  const auto rows = co_await c.gather(root, row);
  EXPECT_EQ(rows.size(), rank == root.value() ? static_cast<std::size_t>(size) : 0U);
  for (std::size_t r = 0; r < rows.size(); ++r)
    EXPECT_EQ(rows[r], std::vector<int>(r, static_cast<int>(r)));
  const auto names = co_await c.allgather(mine);
  EXPECT_EQ(std::accumulate(names.begin(), names.end(), std::string()), all_names(size));
  // Values that write less than they are, after which the archive appends bytes.
  const std::list<std::monostate> nothings(10 + row.size());
  const auto lists = co_await c.allgather(nothings);
  for (std::size_t r = 0; r < lists.size(); ++r) EXPECT_EQ(lists[r].size(), 10 + r);
  EXPECT_EQ((co_await c.allgather(std::monostate())).size(), static_cast<std::size_t>(size));
  co_await c.barrier();
}

class CollectiveCalls : public OnEveryNetwork {
 protected:
  static CollectiveWorld collectives(const WorldOptions& options) {
    return CollectiveWorld(make(options));
  }
  [[nodiscard]] static bool is_simulated() { return GetParam().name != "in_process"; }
};
INSTANTIATE_TEST_SUITE_P(Networks, CollectiveCalls, ::testing::ValuesIn(all_networks()),
                         network_name);

TEST_P(CollectiveCalls, give_the_right_results_for_every_number_of_ranks_and_root) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 100}) {
    if (ranks == 100 && !is_simulated()) continue;
    CollectiveWorld world = collectives({.ranks = ranks});
    world.run([&](Collectives& c, Node&) -> Task<> {
      const int step = std::max(ranks / 4, 1);
      for (int root = 0; root < ranks; root += step) co_await all_kinds(c, ranks, root);
      co_await all_kinds(c, ranks, ranks - 1);
    });
    for (const auto& node : world.world->nodes)
      EXPECT_EQ(node->messenger.stats().messages_rejected, 0U);
  }
}

TEST_P(CollectiveCalls, R1_floating_point_results_are_the_same_whatever_the_order_of_arrival) {
  constexpr int ranks = 13;
  std::vector<std::uint64_t> seen;
  for (std::uint64_t seed = 1; seed <= (is_simulated() ? 25 : 3); ++seed) {
    CollectiveWorld world = collectives({.ranks = ranks, .seed = seed});
    double at_root = 0;
    double everywhere[ranks] = {};
    world.run([&](Collectives& c, Node& node) -> Task<> {
      const int rank = c.rank().value();
      core::Random random(seed * 100 + static_cast<std::uint64_t>(rank));
      co_await Pause(Duration(static_cast<std::int64_t>(random.below(50'000))));
      const double value = std::ldexp(1.0 / (rank + 3), 7 * (rank % 5));
      everywhere[rank] = co_await c.allreduce<std::plus<>>(value);
      if (const auto sum = co_await c.reduce<std::plus<>>(7, value)) at_root = *sum;
      (void)node;
    });
    for (const double each : everywhere)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(each), std::bit_cast<std::uint64_t>(everywhere[0]));
    seen.push_back(std::bit_cast<std::uint64_t>(at_root));
    seen.push_back(std::bit_cast<std::uint64_t>(everywhere[0]));
    EXPECT_EQ(seen[seen.size() - 2], seen[0]);
    EXPECT_EQ(seen[seen.size() - 1], seen[1]);
  }
}

TEST_P(CollectiveCalls, nobody_passes_a_barrier_before_all_have_come_to_it) {
  constexpr int ranks = 7;
  WorldOptions options{.ranks = ranks};
  options.engine.workers = 2;
  CollectiveWorld world = collectives(options);
  std::atomic<int> came{0};
  world.run([&](Collectives& c, Node&) -> Task<> {
    for (int round = 0; round < 20; ++round) {
      if ((round + c.rank().value()) % 5 == 0) co_await Pause(std::chrono::microseconds(300));
      ++came;
      co_await c.barrier();
      EXPECT_GE(came.load(), (round + 1) * ranks);
    }
  });
}

TEST_P(CollectiveCalls, several_may_be_under_way_at_once_in_the_order_of_the_calls) {
  constexpr int ranks = 6;
  CollectiveWorld world = collectives({.ranks = ranks});
  world.run([&](Collectives& c, Node& node) -> Task<> {
    const int rank = c.rank().value();
    // The call that is awaited last was made first; some ranks are late.
    if (rank % 2 == 1) co_await Pause(std::chrono::microseconds(200));
    auto first = c.allreduce<std::plus<>>(rank);
    auto second = c.broadcast(3, rank * 10);
    auto third = c.gather(1, name_of(rank));
    auto fourth = c.allgather(rank);
    auto fifth = c.barrier();
    node.messenger.send<&note>((rank + 1) % ranks, rank);  // messages go on
    co_await fifth;
    const auto all = co_await fourth;
    EXPECT_EQ(all.size(), static_cast<std::size_t>(ranks));
    const auto names = co_await third;
    EXPECT_EQ(names.empty(), rank != 1);
    EXPECT_EQ(co_await second, 30);
    EXPECT_EQ(co_await first, 15);
    EXPECT_TRUE(first.is_ready());
    co_await until([&] { return node.log.size() == 1; });
  });
}

TEST_P(CollectiveCalls, a_result_that_nobody_awaits_does_not_hold_up_the_others) {
  constexpr int ranks = 5;
  CollectiveWorld world = collectives({.ranks = ranks});
  world.run([&](Collectives& c, Node&) -> Task<> {
    for (int i = 0; i < 50; ++i) {
      auto sum = c.allreduce<std::plus<>>(i);
      if (c.rank() == i % ranks) {
        EXPECT_EQ(co_await sum, ranks * i);
      }
    }
    co_await c.barrier();
  });
}

// Makes the same random calls on all ranks, with different pauses.
Task<> random_calls(Collectives& c, std::uint64_t seed, int size) {
  core::Random calls(seed);
  core::Random pauses(seed * 1000 + static_cast<std::uint64_t>(c.rank().value()));
  const auto rank = static_cast<std::uint64_t>(c.rank().value());
  const auto count = static_cast<std::uint64_t>(size);
  for (int i = 0; i < 30; ++i) {
    const Rank root(static_cast<std::int32_t>(calls.below(count)));
    const std::uint64_t value = calls.below(1000);
    const std::uint64_t kind = calls.below(6);
    if (pauses.below(3) == 0)
      co_await Pause(Duration(static_cast<std::int64_t>(pauses.below(100'000))));
    if (kind == 0) co_await c.barrier();
    if (kind == 1) {
      EXPECT_EQ(co_await c.broadcast(root, value + rank), value + root.index());
    }
    if (kind == 2) {
      const auto sum = co_await c.reduce<std::plus<>>(root, value + rank);
      EXPECT_EQ(sum.value_or(0), root == c.rank() ? count * value + count * (count - 1) / 2 : 0);
    }
    if (kind == 3) {
      EXPECT_EQ(co_await c.allreduce<Max>(value + rank), value + count - 1);
    }
    if (kind == 4) {
      const auto all = co_await c.gather(root, value + rank);
      for (std::size_t r = 0; r < all.size(); ++r) EXPECT_EQ(all[r], value + r);
    }
    if (kind == 5) {
      // Larger than a message.
      const auto all = co_await c.allgather(std::vector<std::uint64_t>(3000, value + rank));
      EXPECT_EQ(all.size(), count);
      for (std::size_t r = 0; r < all.size(); ++r)
        EXPECT_EQ(all[r], std::vector<std::uint64_t>(3000, value + r));
    }
  }
}

TEST_P(CollectiveCalls, A1_A2_random_calls_on_many_seeds) {
  for (std::uint64_t seed = 1; seed <= (is_simulated() ? 60 : 6); ++seed) {
    const int ranks = 1 + static_cast<int>(seed % (is_simulated() ? 17 : 5));
    WorldOptions options{.ranks = ranks, .seed = seed};
    options.engine.workers = static_cast<WorkerIndex>(1 + seed % 3);
    CollectiveWorld world = collectives(options);
    world.run([&](Collectives& c, Node&) { return random_calls(c, seed, ranks); });
    for (const auto& node : world.world->nodes) {
      EXPECT_EQ(node->messenger.stats().messages_rejected, 0U);
      EXPECT_EQ(node->engine.waits().size(), 0U) << "something was left over";
    }
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST_P(CollectiveCalls, a_root_that_does_not_exist_is_an_error_at_the_call_and_changes_nothing) {
  CollectiveWorld world = collectives({.ranks = 3});
  world.run([](Collectives& c, Node&) -> Task<> {
    for (const Rank bad : {Rank(-1), Rank(3)}) {
      EXPECT_THROW((void)c.broadcast(bad, 1), Error);
      EXPECT_THROW((void)c.gather(bad, 1), Error);
      EXPECT_THROW((void)c.reduce<Max>(bad, 1), Error);
    }
    EXPECT_EQ(co_await c.allreduce<std::plus<>>(1), 3);
  });
}

TEST_P(CollectiveCalls, abort_ends_the_waits_and_the_calls_to_come) {
  CollectiveWorld world = collectives({.ranks = 2});
  world.run([](Collectives& c, Node& node) -> Task<> {
    if (c.rank() == 1) co_return;  // never calls
    node.engine.call_at(node.engine.now() + std::chrono::milliseconds(2),
                        [&] { c.abort_all("the test says so"); });
    std::string text;
    try {
      co_await c.barrier();
    } catch (const JobAborted& error) {
      text = error.what();
    }
    EXPECT_EQ(text, "the test says so");
    auto after = c.allreduce<Max>(1);
    EXPECT_TRUE(after.is_ready());
    bool aborted = false;
    try {
      (void)co_await after;
    } catch (const JobAborted&) {
      aborted = true;
    }
    EXPECT_TRUE(aborted);
  });
}

TEST(CollectiveDepth, grows_with_the_logarithm_of_the_ranks) {
  transport::SimulatedNetworkParameters network;
  network.levels[0].latency_seconds = 1e-3;
  for (const int ranks : {2, 4, 16, 100, 256}) {
    Duration longest[4] = {};
    CollectiveWorld world(std::make_unique<SimulatedWorld>(WorldOptions{.ranks = ranks}, network));
    world.run([&](Collectives& c, Node& node) -> Task<> {
      co_await c.barrier();
      for (int kind = 0; kind < 4; ++kind) {
        const Instant begin = node.engine.now();
        if (kind == 0) co_await c.barrier();
        if (kind == 1) (void)co_await c.allreduce<std::plus<>>(1);
        if (kind == 2) (void)co_await c.allgather(1);
        if (kind == 3) (void)co_await c.broadcast(ranks / 2, 1);
        longest[kind] = std::max(longest[kind], node.engine.now() - begin);
        co_await c.barrier();
      }
    });
    const auto rounds = static_cast<double>(std::bit_width(static_cast<unsigned>(ranks - 1)));
    // Ranks begin up to a round apart after the barrier; an allreduce may need one more.
    for (const Duration each : longest)
      EXPECT_LE(seconds(each), 1.2e-3 * (rounds + 2)) << ranks << " ranks";
  }
}

}  // namespace roam::am::testing::collectives_test
