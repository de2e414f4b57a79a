// SPDX-License-Identifier: Apache-2.0
// What ranks have told of their objects, as strategies see it.
#include "roam/placement/detail/gathered_loads.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "roam/core/random.hpp"

namespace roam::placement::gathered_loads_test {
namespace {

RankLoads told_of(const std::vector<std::uint64_t>& objects) {
  RankLoads loads;
  for (const std::uint64_t id : objects) {
    loads.of.objects.push_back(id);
    loads.of.seconds.push_back(1);
    loads.of.bytes.push_back(100);
  }
  return loads;
}

TEST(GatheredLoads, join_both_directions_of_calls_if_links_are_asked_for) {
  std::vector<RankLoads> loads{told_of({11, 12}), told_of({13})};
  loads[0].of.calls = {{.from = 12, .to = 13, .calls = 2, .bytes = 20}};
  loads[1].of.calls = {{.from = 13, .to = 12, .calls = 3, .bytes = 5}};
  EXPECT_TRUE(gather(loads, false).graph.links.empty());
  const std::vector<Link> links = gather(loads, true).graph.links;
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].a, 1U);
  EXPECT_EQ(links[0].b, 2U);
  EXPECT_EQ(links[0].bytes, 25);
  EXPECT_EQ(links[0].messages, 5);
}

TEST(GatheredLoads, leave_out_calls_of_and_to_objects_that_nobody_told_of) {
  std::vector<RankLoads> loads{told_of({11}), told_of({12})};
  loads[0].of.calls = {{.from = 11, .to = 99, .calls = 1, .bytes = 1},
                       {.from = 98, .to = 12, .calls = 1, .bytes = 1},
                       {.from = 98, .to = 99, .calls = 1, .bytes = 1}};
  EXPECT_TRUE(gather(loads, true).graph.links.empty());
}

// The calls of an object are listed where they were issued; object ids tell whose they are.
TEST(GatheredLoads, find_objects_that_have_moved_since_they_called) {
  std::vector<RankLoads> loads{told_of({12}), told_of({11})};
  loads[0].of.calls = {{.from = 11, .to = 12, .calls = 4, .bytes = 4}};
  loads[1].of.calls = {{.from = 11, .to = 12, .calls = 1, .bytes = 1}};
  const std::vector<Link> links = gather(loads, true).graph.links;
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].messages, 5);
}

TEST(GatheredLoads, expect_calls_at_the_rate_of_the_rank_that_counted_them) {
  std::vector<RankLoads> loads{told_of({11}), told_of({12})};
  loads[0].of.calls = {{.from = 11, .to = 12, .calls = 8, .bytes = 80}};
  loads[1].of.calls = {{.from = 12, .to = 11, .calls = 1, .bytes = 10}};
  loads[0].call_scale = 0.25;
  loads[1].call_scale = 3;
  const std::vector<Link> links = gather(loads, true).graph.links;
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].messages, 5);
  EXPECT_EQ(links[0].bytes, 50);
}

TEST(GatheredLoads, pin_what_cannot_move_now) {
  std::vector<RankLoads> loads{told_of({11, 12}), told_of({13}), told_of({14, 15})};
  EXPECT_TRUE(gather(loads, false).graph.pinned.empty());
  loads[0].stays = {0, 0};
  EXPECT_TRUE(gather(loads, false).graph.pinned.empty());
  loads[2].stays = {0, 1};
  EXPECT_EQ(gather(loads, false).graph.pinned, (std::vector<std::uint8_t>{0, 0, 0, 0, 1}));
}

// Ranks report at different times: an object that moves in between is reported twice, or not at
// all.
TEST(GatheredLoads, link_the_right_objects_while_some_move) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    core::Random random(seed);
    const auto ranks = static_cast<std::size_t>(2 + random.below(6));
    std::vector<RankLoads> loads(ranks);
    std::set<std::uint64_t> known;
    for (RankLoads& part : loads) {
      std::set<std::uint64_t> ids;
      for (auto n = random.below(8); n > 0; --n) ids.insert(1 + random.below(30));
      part = told_of({ids.begin(), ids.end()});
      known.insert(ids.begin(), ids.end());
    }
    std::map<std::pair<std::uint64_t, std::uint64_t>, double> calls;  // by names
    for (RankLoads& part : loads) {
      for (auto n = random.below(40); n > 0; --n) {
        const std::uint64_t from = 1 + random.below(30);
        const std::uint64_t to = 1 + random.below(30);
        if (from == to) continue;
        part.of.calls.push_back({.from = from, .to = to, .calls = 1, .bytes = 8});
        if (known.contains(from) && known.contains(to)) ++calls[std::minmax(from, to)];
      }
    }
    const LoadGraph graph = gather(loads, true).graph;
    std::vector<std::uint64_t> names;
    for (const RankLoads& part : loads) {
      names.insert(names.end(), part.of.objects.begin(), part.of.objects.end());
    }
    std::map<std::pair<std::uint64_t, std::uint64_t>, double> linked;
    for (const Link& link : graph.links) {
      EXPECT_TRUE(linked.emplace(std::minmax(names[link.a], names[link.b]), link.messages).second)
          << "twice, seed " << seed;
      EXPECT_EQ(link.bytes, 8 * link.messages);
    }
    EXPECT_EQ(linked, calls) << seed;
  }
}

Prospect prospect(const Placement& placement, const GatheredLoads& loads,
                  const StrategyKind& kind) {
  const double now = assess(loads.graph, loads.machine, loads.graph.rank).max_seconds;
  return prospect_of(placement, loads, kind, now, 0.1, [](std::uint64_t) { return 0.3; });
}

TEST(Prospect, B3_counts_time_of_work_and_of_moving_and_no_bytes_between_objects) {
  std::vector<RankLoads> loads{told_of({11, 12, 13}), told_of({14})};
  loads[0].of.calls = {{.from = 11, .to = 14, .calls = 1, .bytes = 1'000'000'000}};
  const GatheredLoads gathered = gather(loads, true);
  const auto& kind = plugin::require<StrategyKind>("greedy_comm");
  const Prospect better = prospect({1, 0, 0, 1}, gathered, kind);
  EXPECT_DOUBLE_EQ(better.gain_seconds, 1);
  EXPECT_DOUBLE_EQ(better.cost_seconds, 0.1 + 0.2);
  EXPECT_TRUE(better.is_worth_it);
  const Prospect same = prospect({1, 0, 0, 0}, gathered, kind);
  EXPECT_EQ(same.gain_seconds, 0) << "as little communication between ranks as before";
  EXPECT_FALSE(same.is_worth_it);
  const Prospect nearer = prospect({0, 0, 0, 0}, gathered, kind);
  EXPECT_EQ(nearer.after.remote_bytes, 0);
  EXPECT_FALSE(nearer.is_worth_it) << "no bytes between ranks, and more work on one";
}

TEST(Prospect, of_strategies_that_are_there_to_move_is_worth_it_if_anything_moves) {
  const GatheredLoads gathered = gather({told_of({11}), told_of({12})}, false);
  const auto& kind = plugin::require<StrategyKind>("rotate");
  EXPECT_TRUE(prospect({1, 0}, gathered, kind).is_worth_it);
  EXPECT_FALSE(prospect({0, 1}, gathered, kind).is_worth_it);
}

}  // namespace
}  // namespace roam::placement::gathered_loads_test
