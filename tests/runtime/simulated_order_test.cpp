// SPDX-License-Identifier: Apache-2.0
// The simulator runs one rank after the other, each for the network's least delay, with all of its
// events in that time. No rank may see a difference from events that happen in the order of time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::simulated_order_test {
namespace {

constexpr std::size_t walkers_each = 2;
constexpr std::uint32_t steps = 60;

struct Walker {
  std::uint64_t index = 0;
  void step(std::uint32_t left);
  template <class Archive>
  void serialize(Archive& archive) {
    archive(index);
  }
};

/// What one rank has seen: when, by which walker, with how many steps left.
using Seen = std::vector<std::tuple<Instant, std::uint64_t, std::uint32_t>>;

struct Walk {
  std::vector<Seen> seen;  // by rank
  std::vector<mobile_ptr<Walker>> walkers;
  Instant end{0};
  std::uint64_t moves = 0;
};
std::unique_ptr<Walk> walk;  // of the simulation that runs now, on this one thread

// Computes, calls another walker or moves; two times are hardly ever equal.
void Walker::step(std::uint32_t left) {
  Runtime& rt = here();
  walk->seen[rt.rank().index()].emplace_back(rt.now(), index, left);
  core::Random random(1000 * index + left);
  rt.compute(Duration(random.below(left % 4 == 0 ? 100'000 : 3000)));
  if (left % 8 == 0) {
    ++walk->moves;
    const auto ranks = static_cast<std::uint64_t>(rt.size());
    walk->walkers[index].migrate(Rank(static_cast<std::int32_t>(random.below(ranks))));
  }
  if (left > 0) walk->walkers[random.below(walk->walkers.size())].send<&Walker::step>(left - 1);
}

Task<> program(Runtime& rt) {
  const std::size_t first = rt.rank().index() * walkers_each;
  for (std::size_t i = first; i < first + walkers_each; ++i)
    walk->walkers[i] = rt.create<Walker>(Walker{i});
  co_await rt.quiescence();
  for (std::size_t i = first; i < first + walkers_each; ++i)
    walk->walkers[i].send<&Walker::step>(steps);
  co_await rt.quiescence();
}

/// Nodes of three ranks in a larger network, where messages contend for the receiver's interface.
std::vector<NetworkLevel> contended_levels() {
  NetworkLevel node;
  node.name = "node";
  node.group_ranks = 3;
  node.latency_seconds = 4e-7;
  node.contention = 0.5;
  NetworkLevel machine;
  machine.bandwidth_bytes_per_second = 1e8;
  machine.contention = 1;
  return {node, machine};
}

/// Nodes of three ranks that share memory and an interface, in pairs, which are a torus's nodes.
std::vector<NetworkLevel> shared_levels() {
  NetworkLevel node{.name = "node", .group_ranks = 3, .latency_seconds = 4e-7};
  node.shared_bandwidth_bytes_per_second = 5e8;
  node.uplink_bandwidth_bytes_per_second = 2e8;
  NetworkLevel pair{.name = "pair", .group_ranks = 6};
  pair.uplink_bandwidth_bytes_per_second = 1e8;
  pair.uplinks = 2;
  NetworkLevel machine{.name = "machine", .latency_seconds = 2e-6, .jitter = 0.1};
  machine.torus = {5, 4};
  machine.link_bandwidth_bytes_per_second = 1e8;
  machine.hop_latency_seconds = 1e-7;
  return {node, pair, machine};
}

Walk simulate(std::int32_t ranks, std::uint32_t workers, bool in_order,
              const std::vector<NetworkLevel>& levels = {NetworkLevel{}}) {
  SimulatedJobOptions options;
  options.options.simulate = Machine{};
  options.options.simulate->network = levels;
  options.options.simulate->ranks = ranks;
  options.options.simulate->workers_per_rank = workers;
  walk = std::make_unique<Walk>();
  walk->seen.resize(static_cast<std::size_t>(ranks));
  walk->walkers.resize(static_cast<std::size_t>(ranks) * walkers_each);
  SimulatedJob job(options);
  if (in_order) job.set_interruption([](std::uint64_t) {});  // forces events into the order of time
  EXPECT_TRUE(job.run(program)) << job.error();
  walk->end = job.now();
  return std::move(*walk);
}

class SimulatedOrder : public ::testing::TestWithParam<std::tuple<std::int32_t, std::uint32_t>> {};

void compare_orders(std::int32_t ranks, std::uint32_t workers,
                    const std::vector<NetworkLevel>& levels = {NetworkLevel{}}) {
  const Walk in_order = simulate(ranks, workers, true, levels);
  const Walk in_turns = simulate(ranks, workers, false, levels);
  const auto when = [](const auto& seen) { return std::get<0>(seen); };
  std::size_t calls = 0;
  for (std::size_t rank = 0; rank < in_order.seen.size(); ++rank) {
    EXPECT_EQ(in_turns.seen[rank], in_order.seen[rank]) << "rank " << rank;
    EXPECT_TRUE(std::ranges::is_sorted(in_turns.seen[rank], {}, when)) << "time goes back";
    calls += in_turns.seen[rank].size();
  }
  EXPECT_EQ(calls, in_order.seen.size() * walkers_each * (steps + 1));
  EXPECT_GT(in_turns.moves, in_order.seen.size());
  EXPECT_EQ(in_turns.end, in_order.end);
}

TEST_P(SimulatedOrder, no_rank_sees_whether_ranks_take_turns) {
  compare_orders(std::get<0>(GetParam()), std::get<1>(GetParam()));
}

TEST_P(SimulatedOrder, nor_where_messages_contend_for_interfaces) {
  compare_orders(std::get<0>(GetParam()), std::get<1>(GetParam()), contended_levels());
}

TEST_P(SimulatedOrder, nor_where_they_share_links) {
  compare_orders(std::get<0>(GetParam()), std::get<1>(GetParam()), shared_levels());
}

TEST_P(SimulatedOrder, R1_turns_are_the_same_each_time) {
  const auto [ranks, workers] = GetParam();
  const Walk first = simulate(ranks, workers, false);
  const Walk second = simulate(ranks, workers, false);
  EXPECT_EQ(first.seen, second.seen);
  EXPECT_EQ(first.end, second.end);
}

INSTANTIATE_TEST_SUITE_P(Machines, SimulatedOrder,
                         ::testing::Combine(::testing::Values(2, 9, 100),  // 100: with prefetching
                                            ::testing::Values(1U, 3U)));

}  // namespace
}  // namespace roam::simulated_order_test
