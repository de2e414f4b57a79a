// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/detail/simulated.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/core/random.hpp"

namespace roam::transport::simulated_test {
namespace {

using core::Buffer;
using core::VirtualClock;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

Buffer bytes(std::size_t size) {
  Buffer data = Buffer::allocate(size);
  data.set_size(size);
  return data;
}

// Records (time, source, size) of what arrives.
struct Log final : Sink {
  struct Entry {
    Instant when;
    Rank source;
    std::size_t bytes;
    bool operator==(const Entry&) const = default;
  };
  explicit Log(const VirtualClock& c) : clock(c) {}
  void message(Rank source, Buffer&& data) override {
    entries.push_back({clock.now(), source, data.size()});
  }
  void bulk(Rank source, BulkTag /*tag*/, Buffer&& data) override {
    entries.push_back({clock.now(), source, data.size()});
  }
  void peer_failed(Rank /*peer*/, const char* /*reason*/) override { ADD_FAILURE(); }
  const VirtualClock& clock;
  std::vector<Entry> entries;
};

const NetworkLevel plain_level{.latency_seconds = 1000e-9,
                               .overhead_seconds = 100e-9,
                               .gap_seconds = 50e-9,
                               .bandwidth_bytes_per_second = 1e9};  // 1 ns per byte

SimulatedNetworkParameters with(const NetworkLevel& level) {
  SimulatedNetworkParameters parameters;
  parameters.levels = {level};
  return parameters;
}

// Runs ranks that do nothing but receive, until nothing is under way.
void run(VirtualClock& clock, std::vector<std::unique_ptr<Endpoint>>& ends, Sink& sink) {
  for (;;) {
    Instant next = never;
    for (const auto& end : ends) next = std::min(next, end->next_arrival());
    if (next == never) return;
    if (next > clock.now()) clock.set(next);
    for (const auto& end : ends) end->progress(sink, 1000);
  }
}

std::vector<std::unique_ptr<Endpoint>> all_endpoints(SimulatedNetwork& network) {
  std::vector<std::unique_ptr<Endpoint>> ends;
  for (const Rank rank : network.local_ranks()) ends.push_back(network.endpoint(rank));
  return ends;
}

TEST(Simulated, follows_LogGP) {
  VirtualClock clock;
  SimulatedNetwork network(with(plain_level), 3, clock, 1);
  auto ends = all_endpoints(network);
  Log log(clock);
  clock.set(Instant(5000));
  ends[0]->send(
      1, bytes(200));  // leaves 5100 .. 5300, interface free at 5350, arrives 5300 + 1000 + 100
  ends[0]->send(2, bytes(10));  // leaves 5350 .. 5360, arrives 6460
  ends[1]->send(1, bytes(77));  // to itself: 5100
  EXPECT_EQ(ends[1]->next_arrival(), Instant(5100));
  run(clock, ends, log);
  const std::vector<Log::Entry> wanted{
      {Instant(5100), 1, 77}, {Instant(6400), 0, 200}, {Instant(6460), 0, 10}};
  EXPECT_EQ(log.entries, wanted);
  EXPECT_EQ(network.totals().messages, 3U);
  EXPECT_EQ(network.totals().bytes, 287U);
  EXPECT_EQ(ends[1]->next_arrival(), never);
}

TEST(Simulated, charges_the_innermost_level_on_which_two_ranks_meet) {
  VirtualClock clock;
  SimulatedNetworkParameters parameters = with(plain_level);
  NetworkLevel node = plain_level;
  node.group_ranks = 2;
  node.latency_seconds = 200e-9;
  parameters.levels.insert(parameters.levels.begin(), node);
  SimulatedNetwork network(parameters, 4, clock, 1);
  EXPECT_EQ(network.least_delay(), nanoseconds(400));
  auto ends = all_endpoints(network);
  Log log(clock);
  ends[0]->send(1, bytes(10));  // 100 + 10 + 200 + 100; interface free at 160
  ends[1]->send(2, bytes(20));  // 100 + 20 + 1000 + 100
  ends[0]->send(3, bytes(30));  // 160 + 30 + 1000 + 100
  run(clock, ends, log);
  const std::vector<Log::Entry> wanted{
      {Instant(410), 0, 10}, {Instant(1220), 1, 20}, {Instant(1290), 0, 30}};
  EXPECT_EQ(log.entries, wanted);
}

TEST(Simulated, messages_contend_for_the_receivers_interface) {
  for (const double contention : {0.0, 0.5, 1.0}) {
    VirtualClock clock;
    NetworkLevel level = plain_level;
    level.contention = contention;
    SimulatedNetwork network(with(level), 4, clock, 1);
    std::vector<Instant> told;
    network.set_listener([&](Rank, Instant when) { told.push_back(when); });
    auto ends = all_endpoints(network);
    Log log(clock);
    // Each arrives at 100 + 150 + 1000 + 100 and the interface needs up to 200 for it.
    for (const std::size_t source : {1U, 2U, 3U}) ends[source]->send(0, bytes(150));
    run(clock, ends, log);
    const auto intake = static_cast<std::int64_t>(200 * contention);
    ASSERT_EQ(log.entries.size(), 3U);
    for (std::int64_t i = 0; i < 3; ++i) {
      const Instant due(1350 + i * intake);
      EXPECT_EQ(log.entries[static_cast<std::size_t>(i)].when, due) << contention;
      EXPECT_TRUE(std::ranges::find(told, due) != told.end()) << "the driver is not told";
    }
  }
}

TEST(Simulated, delivers_nothing_early_and_keeps_to_the_limit) {
  VirtualClock clock;
  SimulatedNetwork network(with(plain_level), 2, clock, 1);
  auto ends = all_endpoints(network);
  Log log(clock);
  for (int i = 0; i < 5; ++i) ends[0]->send(1, bytes(1));
  EXPECT_EQ(ends[0]->unsent_bytes(), 5U);
  clock.set(ends[1]->next_arrival() - Duration(1));
  EXPECT_EQ(ends[1]->progress(log, 100), 0U);
  clock.set(microseconds(100));
  EXPECT_EQ(ends[1]->progress(log, 3), 3U);
  EXPECT_EQ(ends[1]->progress(log, 3), 2U);
  EXPECT_EQ(ends[0]->unsent_bytes(), 0U);
}

TEST(Simulated, shows_ahead_what_it_is_about_to_deliver) {
  VirtualClock clock;
  SimulatedNetwork network(with(plain_level), 3, clock, 1);
  auto ends = all_endpoints(network);
  EXPECT_EQ(ends[1]->next_message(0).source, no_rank);
  ends[0]->send(Rank(1), bytes(40));
  ends[2]->send_bulk(Rank(1), 7, bytes(400));
  for (int step = 0; step <= Endpoint::last_look; ++step) ends[1]->look_ahead(step);
  std::map<Rank, std::size_t> shown;
  for (std::size_t i = 0; ends[1]->next_message(i).source != no_rank; ++i)
    shown[ends[1]->next_message(i).source] = ends[1]->next_message(i).data.size();
  EXPECT_EQ(shown, (std::map<Rank, std::size_t>{{Rank(0), 40}, {Rank(2), 0}}))
      << "of bulk data only that it comes";
  EXPECT_EQ(ends[0]->next_message(0).source, no_rank);
}

TEST(Simulated, tells_the_listener_what_to_wake_when) {
  VirtualClock clock;
  SimulatedNetwork network(with(plain_level), 2, clock, 1);
  std::vector<std::pair<Rank, Instant>> told;
  network.set_listener(
      [&](Rank destination, Instant when) { told.emplace_back(destination, when); });
  auto ends = all_endpoints(network);
  Log log(clock);
  ends[0]->send(1, bytes(1000));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0], std::make_pair(Rank(1), Instant(2200)));
  // When its announcement comes, bulk data that waited for it is under way again.
  ends[0]->send_bulk(1, 9, bytes(10));
  clock.set(microseconds(10));
  EXPECT_EQ(ends[1]->progress(log, 10), 1U);
  told.clear();
  ends[1]->receive_bulk(0, 9, 10);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0], std::make_pair(Rank(1), Instant(microseconds(10))));
  EXPECT_EQ(ends[1]->progress(log, 10), 1U);
}

TEST(Simulated, what_is_sent_after_computing_departs_at_that_time) {
  VirtualClock clock;
  SimulatedNetwork network(with(plain_level), 2, clock, 1);
  std::vector<std::pair<Instant, Rank>> told;
  network.set_listener([&](Rank rank, Instant when) { told.emplace_back(when, rank); });
  auto ends = all_endpoints(network);
  Log log(clock);
  // A handler of rank 0 that computes for a millisecond before it sends,
  clock.compute(microseconds(1000));
  ends[0]->send(1, bytes(1));
  EXPECT_EQ(ends[0]->unsent_bytes(), 1U);
  clock.reset_offset();
  // and another worker of that rank that sends meanwhile: its message is neither delayed nor
  // overtaken.
  clock.set(microseconds(10));
  ends[0]->send(1, bytes(2));
  clock.compute(microseconds(5));
  ends[0]->send(1, bytes(3));
  clock.reset_offset();
  const std::vector<std::pair<Instant, Rank>> first_told{
      {microseconds(1000), 0}, {Instant(11202), 1}, {microseconds(15), 0}};
  EXPECT_EQ(told, first_told) << "what departs later starts at its source";
  // A driver that relies on the listener alone.
  while (!told.empty()) {
    const auto next = std::ranges::min_element(told);
    const auto [when, rank] = *next;
    told.erase(next);
    clock.set(std::max(clock.now(), when));
    ends[rank.index()]->progress(log, 10);
  }
  const std::vector<Log::Entry> wanted{
      {Instant(11202), 0, 2}, {Instant(16203), 0, 3}, {Instant(1001201), 0, 1}};
  EXPECT_EQ(log.entries, wanted);
}

std::vector<Log::Entry> random_traffic(const SimulatedNetworkParameters& parameters,
                                       std::uint64_t seed) {
  VirtualClock clock;
  SimulatedNetwork network(parameters, 5, clock, seed);
  auto ends = all_endpoints(network);
  Log log(clock);
  core::Random random(7);
  for (std::size_t i = 0; i < 2000; ++i) {
    ends[random.below(5)]->send(Rank(static_cast<std::int32_t>(random.below(5))), bytes(i));
    if (i % 10 == 0) {
      clock.set(clock.now() + Duration(random.below(3000)));
      for (const auto& end : ends) end->progress(log, 100);
    }
  }
  run(clock, ends, log);
  EXPECT_EQ(log.entries.size(), 2000U);
  return log.entries;
}

// True if no source's messages (whose sizes grow) were overtaken. It does not tell receivers apart,
// so it can only show that reordering does happen.
bool sizes_grow(const std::vector<Log::Entry>& entries) {
  std::map<Rank, std::size_t> last;
  return std::ranges::all_of(entries, [&](const Log::Entry& e) {
    return std::exchange(last[e.source], e.bytes) <= e.bytes;
  });
}

TEST(Simulated, R1_the_same_seed_gives_the_same_arrivals) {
  for (const bool reorder : {false, true}) {
    const SimulatedNetworkParameters jittered{
        .levels = {{.jitter = 0.5}}, .jitter_delay = microseconds(3), .reorder = reorder};
    const auto first = random_traffic(jittered, 42);
    EXPECT_EQ(first, random_traffic(jittered, 42));
    EXPECT_NE(first, random_traffic(jittered, 43));
  }
}

TEST(Simulated, reorder_lets_messages_of_a_pair_overtake) {
  for (const bool reorder : {false, true}) {
    VirtualClock clock;
    SimulatedNetwork network({.jitter_delay = microseconds(50), .reorder = reorder}, 2, clock, 3);
    auto ends = all_endpoints(network);
    EXPECT_EQ(ends[0]->capabilities().ordered, !reorder);
    Log log(clock);
    for (std::size_t i = 0; i < 200; ++i) ends[0]->send(1, bytes(i));
    run(clock, ends, log);
    EXPECT_EQ(log.entries.size(), 200U);
    EXPECT_EQ(sizes_grow(log.entries), !reorder);
  }
}

TEST(Simulated, R3_rejects_bad_parameters) {
  const VirtualClock clock;
  const auto make = [&](const SimulatedNetworkParameters& p, std::int32_t ranks) {
    SimulatedNetwork(p, ranks, clock, 1);
  };
  EXPECT_THROW(make({}, 0), ConfigError);
  EXPECT_THROW(make({.levels = {}}, 1), ConfigError);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const NetworkLevel& bad :
       {NetworkLevel{.latency_seconds = -1e-9}, NetworkLevel{.overhead_seconds = -1e-9},
        NetworkLevel{.gap_seconds = -1e-9}, NetworkLevel{.bandwidth_bytes_per_second = -1},
        NetworkLevel{.bandwidth_bytes_per_second = nan}, NetworkLevel{.jitter = -0.1},
        NetworkLevel{.contention = 1.5}, NetworkLevel{.contention = nan}}) {
    EXPECT_THROW(make(with(bad), 1), ConfigError);
  }
  EXPECT_THROW(make({.levels = {{}, {}}}, 1), ConfigError);  // an inner level without groups
  EXPECT_THROW(make({.jitter_delay = nanoseconds(-1)}, 1), ConfigError);
  EXPECT_THROW(make({.max_message_bytes = 0}, 1), ConfigError);
  EXPECT_NO_THROW(make(
      with({.latency_seconds = 0, .overhead_seconds = 0, .bandwidth_bytes_per_second = 0}), 1));
}

TEST(Simulated, a_hundred_thousand_ranks) {
  constexpr std::int32_t ranks = 131072;
  VirtualClock clock;
  SimulatedNetwork network(with({.jitter = 0.1}), ranks, clock, 5);
  auto ends = all_endpoints(network);
  Log log(clock);
  core::Random random(5);
  for (std::int32_t i = 0; i < ranks; ++i) {
    ends[static_cast<std::size_t>(i)]->send(static_cast<std::int32_t>(random.below(ranks)),
                                            bytes(16));
  }
  clock.set(std::chrono::seconds(1));
  for (const auto& end : ends) end->progress(log, 1000);
  EXPECT_EQ(log.entries.size(), static_cast<std::size_t>(ranks));
}

}  // namespace
}  // namespace roam::transport::simulated_test
