// SPDX-License-Identifier: Apache-2.0
// Links of a simulated machine that ranks share: closed forms, and that the order of calls within a
// window of time does not matter.
#include "transport/shared_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/core/random.hpp"
#include "roam/transport/detail/simulated.hpp"

namespace roam::transport::shared_links_test {
namespace {

using core::Buffer;
using core::VirtualClock;

// A rank sends 1 byte per ns; 100 ns of overhead at each end, 1000 of latency, none between two.
NetworkLevel level(const char* name, std::int32_t group_ranks) {
  return {.name = name,
          .group_ranks = group_ranks,
          .latency_seconds = 1000e-9,
          .overhead_seconds = 100e-9,
          .gap_seconds = 0,
          .bandwidth_bytes_per_second = 1e9};
}
constexpr std::int64_t alone = 100 + 1000 + 100;  // what a message of no bytes takes

/// Nodes of so many ranks, each with one interface, or with so many links.
std::vector<NetworkLevel> nodes(std::int32_t ranks_each, std::int32_t cards = 1) {
  std::vector<NetworkLevel> levels{level("node", ranks_each), level("machine", 0)};
  levels[0].uplink_bandwidth_bytes_per_second = 1e9;
  levels[0].uplinks = cards;
  return levels;
}

struct Send {
  std::int64_t when;
  std::int32_t source;
  std::int32_t destination;
  std::size_t bytes;
};
/// What arrived when: (time, source, destination, bytes).
using Arrival = std::tuple<std::int64_t, std::int32_t, std::int32_t, std::size_t>;

struct Log final : Sink {
  Log(const VirtualClock& c, std::int32_t at) : clock(c), rank(at) {}
  void message(Rank source, Buffer&& data) override {
    arrivals.emplace_back(clock.now().count(), source.value(), rank, data.size());
  }
  void bulk(Rank /*source*/, BulkTag /*tag*/, Buffer&& /*data*/) override { ADD_FAILURE(); }
  void peer_failed(Rank /*peer*/, const char* /*reason*/) override { ADD_FAILURE(); }
  const VirtualClock& clock;
  std::int32_t rank;
  std::vector<Arrival> arrivals;
};

class Machine {
 public:
  Machine(const std::vector<NetworkLevel>& levels, std::int32_t ranks, std::uint64_t seed = 1)
      : network_({.levels = levels}, ranks, clock_, seed) {
    for (const Rank rank : network_.local_ranks()) {
      ends_.push_back(network_.endpoint(rank));
      logs_.emplace_back(clock_, rank.value());
    }
  }
  void send(const Send& sent) {
    Buffer data = Buffer::allocate(sent.bytes);
    data.set_size(sent.bytes);
    clock_.set(Instant(sent.when));
    ends_[static_cast<std::size_t>(sent.source)]->send(sent.destination, std::move(data));
  }
  /// Strictly in the order of time, as endpoints alone say.
  void run(std::vector<Send> sends) {
    std::ranges::stable_sort(sends, {}, &Send::when);
    for (const Send& sent : sends) {
      deliver_before(Instant(sent.when));
      send(sent);
    }
    deliver_before(never);
  }
  /// Window by window of the network's least delay, in each of them rank by rank, the last first.
  void run_in_windows(std::vector<Send> sends) {
    network_.leave_claims_to_driver();
    const std::int64_t width = network_.least_delay().count();
    std::ranges::stable_sort(sends, [width](const Send& a, const Send& b) {
      return std::tuple(a.when / width, -a.source, a.when) <
             std::tuple(b.when / width, -b.source, b.when);
    });
    for (const Send& sent : sends) {
      claim_before(Instant(sent.when / width * width));
      send(sent);
    }
    claim_before(never);
    clock_.set(Instant(0));
    deliver_before(never);
  }
  /// All that arrived, rank by rank.
  std::vector<Arrival> delivered() const {
    std::vector<Arrival> all;
    for (const Log& log : logs_) all.insert(all.end(), log.arrivals.begin(), log.arrivals.end());
    return all;
  }
  /// The same in an order of its own.
  std::vector<Arrival> arrivals() const {
    std::vector<Arrival> all = delivered();
    std::ranges::sort(all);
    return all;
  }
  std::int64_t end() const { return std::get<0>(arrivals().back()); }
  SimulatedNetwork& network() { return network_; }

 private:
  void claim_before(Instant time) {
    for (Instant due = network_.next_claim(); due != never && due <= time;
         due = network_.next_claim())
      network_.claim();
  }
  void deliver_before(Instant time) {
    for (;;) {
      Instant next = never;
      for (const auto& end : ends_) next = std::min(next, end->next_arrival());
      if (next == never || next >= time) return;
      clock_.set(std::max(next, clock_.now()));
      for (std::size_t i = 0; i < ends_.size(); ++i) ends_[i]->progress(logs_[i], 1000);
    }
  }
  VirtualClock clock_;
  SimulatedNetwork network_;
  std::vector<std::unique_ptr<Endpoint>> ends_;
  std::vector<Log> logs_;
};

std::int64_t time_of(const std::vector<NetworkLevel>& levels, std::int32_t ranks,
                     const std::vector<Send>& sends) {
  Machine machine(levels, ranks);
  machine.run(sends);
  EXPECT_EQ(machine.arrivals().size(), sends.size());
  return machine.end();
}

TEST(SharedLinks, a_message_alone_takes_what_it_takes_without_them) {
  EXPECT_EQ(time_of(nodes(2), 4, {{0, 0, 2, 5000}}), alone + 5000);
  EXPECT_EQ(time_of(nodes(2), 4, {{0, 0, 1, 5000}}), alone + 5000);
  EXPECT_EQ(time_of(nodes(2), 4, {{0, 3, 3, 5000}}), 100) << "to itself";
}

TEST(SharedLinks, incast_takes_k_messages_over_the_receivers_bandwidth) {
  for (const std::int32_t k : {1, 2, 7}) {
    std::vector<Send> sends;
    std::vector<Arrival> wanted;
    for (std::int32_t i = 1; i <= k; ++i) {
      sends.push_back({0, 4 * i, i % 4, 3000});  // each of its node, to ranks of node 0
      wanted.emplace_back(alone + 3000 * i, 4 * i, i % 4, 3000);
    }
    Machine machine(nodes(4), 32);
    machine.run(sends);
    EXPECT_EQ(machine.arrivals(), wanted);
  }
}

TEST(SharedLinks, ranks_of_a_node_take_turns_to_send) {
  const std::vector<Send> both{{0, 0, 2, 3000}, {0, 1, 4, 3000}};
  EXPECT_EQ(time_of(nodes(2), 6, both), alone + 6000);
  EXPECT_EQ(time_of(nodes(2, 2), 6, {{0, 0, 2, 3000}, {0, 1, 5, 3000}}), alone + 3000)
      << "a card each";
  // What comes in and what goes out do not disturb each other, nor does what stays inside.
  EXPECT_EQ(time_of(nodes(2), 4, {{0, 0, 2, 3000}, {0, 2, 0, 3000}, {0, 1, 0, 3000}}),
            alone + 3000);
}

TEST(SharedLinks, a_ring_crosses_each_card_once_or_with_all_ranks) {
  for (const std::int32_t distance : {1, 4}) {
    std::vector<Send> sends;
    for (std::int32_t rank = 0; rank < 32; ++rank)
      sends.push_back({0, rank, (rank + distance) % 32, 3000});
    EXPECT_EQ(time_of(nodes(4), 32, sends), alone + 3000 * distance);
  }
}

TEST(SharedLinks, all_to_all_takes_what_leaves_a_node_over_its_bandwidth) {
  // One rank per node: a permutation at each step.
  std::vector<Send> sends;
  for (std::int32_t step = 1; step < 8; ++step) {
    for (std::int32_t rank = 0; rank < 8; ++rank)
      sends.push_back({0, rank, (rank + step) % 8, 3000});
  }
  EXPECT_EQ(time_of(nodes(1), 8, sends), alone + 7 * 3000);
  // Four: each card sends 4 x 28 messages, and no time is lost.
  sends.clear();
  for (std::int32_t step = 1; step < 32; ++step) {
    for (std::int32_t rank = 0; rank < 32; ++rank)
      sends.push_back({0, rank, (rank + step) % 32, 3000});
  }
  const std::int64_t took = time_of(nodes(4), 32, sends);
  EXPECT_GE(took, alone + 4 * 28 * 3000);
  EXPECT_LE(took, alone + 4 * 28 * 3000 * 101 / 100);
}

TEST(SharedLinks, messages_that_meet_on_a_level_share_its_memory) {
  std::vector<NetworkLevel> levels{level("node", 8), level("machine", 0)};
  levels[0].shared_bandwidth_bytes_per_second = 2e9;
  // Two keep it busy; of six each gets a third of what it would have.
  std::vector<Send> sends;
  for (std::int32_t rank = 0; rank < 6; ++rank) {
    sends.push_back({0, rank, (rank + 1) % 6, 3000});
    const std::int64_t copies = rank < 2 ? 2 : rank + 1;
    EXPECT_EQ(time_of(levels, 16, sends), alone + 1500 * copies) << rank;
  }
  EXPECT_EQ(time_of(levels, 16, {{0, 0, 1, 3000}, {0, 8, 9, 3000}, {0, 8, 0, 3000}}), alone + 6000)
      << "rank 8's second message waits for its first; nodes share nothing";
}

TEST(SharedLinks, links_of_a_tapered_fat_tree_go_by_destination) {
  // Two switches of four nodes, and two links up from each.
  std::vector<NetworkLevel> levels{level("switch", 4), level("machine", 0)};
  levels[0].uplink_bandwidth_bytes_per_second = 1e9;
  levels[0].uplinks = 2;
  const auto sends = [](const std::vector<std::int32_t>& to) {
    std::vector<Send> all;
    for (std::int32_t rank = 0; rank < 4; ++rank)
      all.push_back({0, rank, to[static_cast<std::size_t>(rank)], 3000});
    return all;
  };
  EXPECT_EQ(time_of(levels, 8, sends({1, 2, 3, 0})), alone + 3000) << "below the switch";
  EXPECT_EQ(time_of(levels, 8, sends({4, 5, 6, 7})), alone + 2 * 3000) << "two to a link";
  EXPECT_EQ(time_of(levels, 8, sends({4, 6, 4, 6})), alone + 4 * 3000) << "all on one";
}

TEST(SharedLinks, longer_latency_of_outer_levels_is_kept) {
  std::vector<NetworkLevel> levels = nodes(2);
  levels[1].latency_seconds = 3000e-9;
  EXPECT_EQ(time_of(levels, 4, {{0, 0, 1, 500}}), alone + 500);
  EXPECT_EQ(time_of(levels, 4, {{0, 0, 2, 500}}), alone + 2000 + 500);
}

std::vector<NetworkLevel> torus(std::vector<std::int32_t> sizes) {
  std::vector<NetworkLevel> levels{level("torus", 0)};
  levels[0].torus = std::move(sizes);
  levels[0].link_bandwidth_bytes_per_second = 1e9;
  levels[0].hop_latency_seconds = 10e-9;
  return levels;
}

TEST(SharedLinks, a_torus_is_crossed_dimension_by_dimension_the_shorter_way) {
  // (x, y) is rank x + 4 y.
  EXPECT_EQ(time_of(torus({4, 3}), 12, {{0, 0, 3, 500}}), alone + 500) << "backwards, one link";
  EXPECT_EQ(time_of(torus({4, 3}), 12, {{0, 0, 2, 500}}), alone + 500 + 10);
  EXPECT_EQ(time_of(torus({4, 3}), 12, {{0, 0, 11, 500}}), alone + 500 + 10);
  EXPECT_EQ(time_of(torus({4, 3}), 12, {{0, 1, 11, 500}}), alone + 500 + 20);
  // 0 -> 2 and 1 -> 2 share the link from 1 to 2; the second comes to it later.
  EXPECT_EQ(time_of(torus({4}), 4, {{0, 0, 2, 500}, {0, 1, 2, 500}}), alone + 1000);
  // Opposite directions of a link, and other dimensions, do not meet.
  EXPECT_EQ(time_of(torus({4, 4}), 16, {{0, 0, 1, 500}, {0, 1, 0, 500}, {0, 1, 5, 500}}),
            alone + 1000)
      << "only rank 1's own interface";
  // Every rank to its neighbour, in each dimension: each link carries one.
  std::vector<Send> sends;
  for (std::int32_t rank = 0; rank < 16; ++rank)
    sends.push_back({0, rank, rank / 4 * 4 + (rank + 1) % 4, 500});
  EXPECT_EQ(time_of(torus({4, 4}), 16, sends), alone + 500);
}

TEST(SharedLinks, R3_rejects_bad_links) {
  const auto make = [](std::vector<NetworkLevel> levels, std::int32_t ranks) {
    const VirtualClock clock;
    SimulatedNetwork({.levels = std::move(levels)}, ranks, clock, 1);
  };
  std::vector<NetworkLevel> bad = nodes(2);
  bad[1].uplink_bandwidth_bytes_per_second = 1e9;
  EXPECT_THROW(make(bad, 4), ConfigError) << "nothing leaves the machine";
  bad = nodes(2, 0);
  EXPECT_THROW(make(bad, 4), ConfigError);
  bad = nodes(2);
  bad[0].shared_bandwidth_bytes_per_second = 1e-300;
  EXPECT_THROW(make(bad, 4), ConfigError);
  EXPECT_THROW(make(torus({2, 3}), 7), ConfigError) << "too small";
  EXPECT_THROW(make(torus({2, 0}), 1), ConfigError);
  EXPECT_NO_THROW(make(torus({2, 3}), 5));
}

/// Everything at once: cards, memory, two links up from each switch, a torus of switches.
std::vector<NetworkLevel> everything(double jitter) {
  std::vector<NetworkLevel> levels{level("node", 3), level("switch", 6), level("machine", 0)};
  levels[0].latency_seconds = 300e-9;
  levels[0].shared_bandwidth_bytes_per_second = 1.5e9;
  levels[0].uplink_bandwidth_bytes_per_second = 1.3e9;
  levels[1].uplink_bandwidth_bytes_per_second = 0.9e9;
  levels[1].uplinks = 2;
  levels[2].latency_seconds = 1700e-9;
  levels[2].torus = {3, 2};
  levels[2].link_bandwidth_bytes_per_second = 1.1e9;
  levels[2].hop_latency_seconds = 40e-9;
  levels[2].jitter = jitter;
  return levels;
}

std::vector<Send> random_sends(std::uint64_t seed, std::int32_t ranks) {
  core::Random random(seed);
  const auto below = [&random](std::uint64_t bound) { return random.below(bound); };
  std::vector<Send> sends;
  // Multiples of 50 ns: many sends share an instant.
  for (int i = 0; i < 1500; ++i) {
    sends.push_back({static_cast<std::int64_t>(50 * below(800)),
                     static_cast<std::int32_t>(below(static_cast<std::uint64_t>(ranks))),
                     static_cast<std::int32_t>(below(static_cast<std::uint64_t>(ranks))),
                     below(4) == 0 ? below(20000) : below(200)});
  }
  return sends;
}

TEST(SharedLinks, R1_the_order_of_calls_within_a_window_does_not_matter) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const double jitter = seed % 2 == 0 ? 0.3 : 0.0;
    const std::vector<Send> sends = random_sends(seed, 36);
    Machine in_order(everything(jitter), 36, seed);
    in_order.run(sends);
    ASSERT_EQ(in_order.arrivals().size(), sends.size());
    Machine in_windows(everything(jitter), 36, seed);
    in_windows.run_in_windows(sends);
    ASSERT_EQ(in_order.arrivals(), in_windows.arrivals()) << "seed " << seed;
  }
}

TEST(SharedLinks, messages_of_a_pair_stay_in_order_and_no_link_carries_more_than_it_can) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<Send> sends = random_sends(seed, 36);
    std::ranges::stable_sort(sends, {}, &Send::when);
    Machine machine(everything(0.2), 36, seed);
    machine.run(sends);
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> sent;
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> received;
    std::map<std::int32_t, double> into_node;
    std::map<std::int32_t, std::int64_t> last;
    for (const Send& s : sends) sent[{s.source, s.destination}].push_back(s.bytes);
    for (const auto& [when, source, destination, size] : machine.delivered()) {
      received[{source, destination}].push_back(size);
      if (source / 3 == destination / 3) continue;
      into_node[destination / 3] += static_cast<double>(size) / 1.3;
      last[destination / 3] = std::max(last[destination / 3], when);
    }
    EXPECT_EQ(sent, received);
    for (const auto& [node, nanoseconds] : into_node)
      EXPECT_GE(static_cast<double>(last[node]), nanoseconds);
  }
}

TEST(SharedLinks, a_hundred_thousand_ranks) {
  constexpr std::int32_t ranks = 131072;
  std::vector<NetworkLevel> levels = nodes(32);
  levels.insert(levels.begin() + 1, level("switch", 1024));
  levels[1].uplink_bandwidth_bytes_per_second = 1e9;
  levels[1].uplinks = 16;
  VirtualClock clock;
  SimulatedNetwork network({.levels = levels}, ranks, clock, 5);
  network.leave_claims_to_driver();
  std::vector<std::unique_ptr<Endpoint>> ends;
  for (const Rank rank : network.local_ranks()) ends.push_back(network.endpoint(rank));
  for (std::int32_t i = 0; i < ranks; ++i) {
    const auto to = static_cast<std::int32_t>((std::int64_t{i} * 40503 + 12345) % ranks);
    ends[static_cast<std::size_t>(i)]->send(to, Buffer::allocate(16));
  }
  while (network.next_claim() != never) network.claim();
  clock.set(std::chrono::seconds(1));
  Log log(clock, 0);
  for (const auto& end : ends) end->progress(log, 1000);
  EXPECT_EQ(log.arrivals.size(), static_cast<std::size_t>(ranks));
}

}  // namespace
}  // namespace roam::transport::shared_links_test
