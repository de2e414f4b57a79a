// SPDX-License-Identifier: Apache-2.0
// Ranks of a running job report their places; strategies see them in the order of the machine's
// tree.
#include "roam/placement/detail/rank_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/placement/detail/gathered_loads.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement::rank_places_test {
namespace {

using topology::Place;

constexpr std::int32_t any = Place::unknown;

std::vector<std::string> names(const RankPlaces& places) {
  std::vector<std::string> all;
  for (const NetworkLevel& level : places.network) all.push_back(level.name);
  return all;
}

/// Four ranks on each of two hosts with two packages, assigned to the hosts in turn.
std::vector<Place> dealt_in_turn() {
  std::vector<Place> places;
  for (std::int32_t r = 0; r < 8; ++r) {
    const std::int32_t core = r / 2;
    places.push_back({.host = 7U + static_cast<std::uint64_t>(r % 2),
                      .package = core / 2 * 2,
                      .numa = core / 2 * 2,
                      .l3 = core / 2 * 2,
                      .core = core});
  }
  return places;
}

TEST(RankPlaces, are_in_the_order_of_the_tree_however_ranks_were_dealt_out) {
  const RankPlaces places = rank_places(dealt_in_turn());
  EXPECT_EQ(places.rank_at, (std::vector<std::int32_t>{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(names(places), (std::vector<std::string>{"L3", "node", "network"}));
  EXPECT_EQ(places.network[0].parents, (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(places.network[1].parents, (std::vector<std::int32_t>{0, 0, 1, 1}));
}

TEST(RankPlaces, are_none_where_all_are_equally_near_or_a_host_is_not_known) {
  std::vector<Place> places(4, {.host = 5, .package = 0, .numa = 0, .l3 = 0});
  for (std::int32_t r = 0; r < 4; ++r) places[static_cast<std::size_t>(r)].core = r;
  EXPECT_TRUE(rank_places(places).network.empty()) << "one L3 cache";
  EXPECT_TRUE(rank_places(std::vector<Place>(3, {.host = 5})).network.empty()) << "not bound";
  std::vector<Place> apart(3);
  for (std::size_t r = 0; r < 3; ++r) apart[r].host = r + 1;
  EXPECT_TRUE(rank_places(apart).network.empty()) << "a host each";
  std::vector<Place> dealt = dealt_in_turn();
  EXPECT_FALSE(rank_places(dealt).network.empty());
  dealt[3].host = 0;
  EXPECT_TRUE(rank_places(dealt).network.empty()) << "one does not know its host";
  EXPECT_TRUE(rank_places({}).network.empty());
}

// Rank 1 may use all of its host, so that it is not known whether it shares a cache with others.
TEST(RankPlaces, of_ranks_that_may_use_several_groups_are_apart_inside_their_host) {
  const std::vector<Place> places{{.host = 1, .package = 0, .numa = 0, .l3 = 0, .core = any},
                                  {.host = 1},
                                  {.host = 1, .package = 0, .numa = 0, .l3 = 0, .core = any},
                                  {.host = 1}};
  const RankPlaces ordered = rank_places(places);
  EXPECT_EQ(ordered.rank_at, (std::vector<std::int32_t>{0, 2, 1, 3}));
  EXPECT_EQ(names(ordered), (std::vector<std::string>{"L3", "node"}));
  EXPECT_EQ(ordered.network[0].parents, (std::vector<std::int32_t>{0, 0, 1, 2}));
  EXPECT_TRUE(ordered.network[1].parents.empty());
}

/// The level on which two ranks meet, found without a tree.
std::string meeting_level(const Place& a, const Place& b) {
  const auto both = [](std::int32_t x, std::int32_t y) { return x == y && x != any; };
  if (a.host != b.host) return "network";
  if (!both(a.package, b.package)) return "node";
  if (!both(a.numa, b.numa)) return "package";
  if (!both(a.l3, b.l3)) return "NUMA";
  return both(a.core, b.core) ? "core" : "L3";
}

TEST(RankPlaces, make_machines_in_which_ranks_are_as_near_as_they_are) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    core::Random random(seed);
    std::vector<Place> places;
    const auto ranks = 2 + random.below(20);
    while (places.size() < ranks) {
      Place place{.host = 1 + random.below(3)};
      // Places are nested: an inner level is known only if the outer ones are.
      if (random.below(4) > 0) place.package = static_cast<std::int32_t>(random.below(2)) * 8;
      if (place.package != any && random.below(4) > 0)
        place.numa = place.package + static_cast<std::int32_t>(random.below(2)) * 4;
      if (place.numa != any && random.below(4) > 0)
        place.l3 = place.numa + static_cast<std::int32_t>(random.below(2)) * 2;
      if (place.l3 != any && random.below(4) > 0)
        place.core = place.l3 + static_cast<std::int32_t>(random.below(2));
      places.push_back(place);
    }
    const RankPlaces ordered = rank_places(places);
    if (ordered.network.empty()) continue;
    Machine machine;
    machine.ranks = static_cast<std::int32_t>(ranks);
    machine.network = ordered.network;
    ASSERT_NO_THROW(check(machine, "machine")) << "seed " << seed;
    // Levels that distinguish no ranks are left out, so that only the order of nearness must agree.
    const std::vector<std::string> all{"core", "L3", "NUMA", "package", "node", "network"};
    const auto depth = [&](std::int32_t a, std::int32_t b) {
      const auto rank = [&](std::int32_t place) {
        return static_cast<std::size_t>(
            ordered.rank_at.empty() ? place : ordered.rank_at[static_cast<std::size_t>(place)]);
      };
      const std::string level = meeting_level(places[rank(a)], places[rank(b)]);
      return std::find(all.begin(), all.end(), level) - all.begin();
    };
    for (std::int32_t a = 0; a < machine.ranks; ++a) {
      for (std::int32_t b = 0; b < machine.ranks; ++b) {
        if (a == b) continue;
        for (std::int32_t c = 0; c < machine.ranks; ++c) {
          if (c == a) continue;
          ASSERT_EQ(depth(a, b) < depth(a, c), machine.level_between(Rank(a), Rank(b)) <
                                                   machine.level_between(Rank(a), Rank(c)))
              << "seed " << seed << ": places " << a << ", " << b << ", " << c;
        }
      }
    }
  }
}

/// Two objects per rank, each of which communicates with the corresponding one of the rank half of
/// the ranks further.
std::vector<RankLoads> communicating(std::size_t ranks) {
  std::vector<RankLoads> loads(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::uint64_t i = 0; i < 2; ++i) {
      loads[r].of.objects.push_back(10 * r + i);
      loads[r].of.seconds.push_back(1e-3);
      loads[r].of.bytes.push_back(100);
      const std::size_t other = (r + ranks / 2) % ranks;
      loads[r].of.calls.push_back(
          {.from = 10 * r + i, .to = 10 * other + i, .calls = 100, .bytes = 1'000'000});
    }
  }
  return loads;
}

std::uint64_t host_after(const std::vector<Place>& places,
                         const std::vector<std::vector<ObjectNote>>& moves, std::uint64_t object) {
  auto rank = static_cast<std::size_t>(object / 10);
  for (const ObjectNote& note : moves[rank]) {
    if (note.object != object) continue;
    EXPECT_NE(static_cast<std::size_t>(note.to), rank);
    rank = static_cast<std::size_t>(note.to);
    break;
  }
  return places[rank].host;
}

TEST(RankPlaces, let_strategies_bring_objects_that_communicate_to_one_host) {
  std::vector<Place> places = dealt_in_turn();
  // Ranks r and r + 4 are on one host; this puts them on two.
  for (std::size_t r = 0; r < 4; r += 2) std::swap(places[r], places[r + 1]);
  for (std::size_t r = 0; r < 4; ++r) ASSERT_NE(places[r].host, places[r + 4].host);
  const std::vector<RankLoads> loads = communicating(places.size());
  const GatheredLoads gathered = gather(loads, true, rank_places(places));
  ASSERT_FALSE(gathered.rank_at.empty());
  const auto strategy = make_strategy({"topology", {}}, "test");
  const auto moves =
      moves_by_rank(loads, gathered, strategy->place(gathered.graph, gathered.machine));
  for (std::uint64_t r = 0; r < 4; ++r) {
    for (std::uint64_t i = 0; i < 2; ++i) {
      EXPECT_EQ(host_after(places, moves, 10 * r + i), host_after(places, moves, 10 * (r + 4) + i))
          << r;
    }
  }
}

TEST(RankPlaces, strategies_have_one_level_where_ranks_are_equally_near) {
  const std::vector<RankLoads> loads = communicating(2);
  const GatheredLoads gathered =
      gather(loads, true, rank_places(std::vector<Place>(2, {.host = 5})));
  ASSERT_EQ(gathered.machine.network.size(), 1U);
  const auto strategy = make_strategy({"topology", {}}, "test");
  const Placement placement = strategy->place(gathered.graph, gathered.machine);
  EXPECT_EQ(placement.size(), gathered.graph.size());
}

TEST(ToldPlaces, are_in_order_once_all_have_told_and_again_when_one_has_moved) {
  std::vector<Place> places = dealt_in_turn();
  ToldPlaces told;
  EXPECT_TRUE(told.ordered().network.empty()) << "nobody has told";
  for (std::size_t r = 0; r < places.size(); ++r) {
    EXPECT_TRUE(told.ordered().network.empty()) << "rank " << r << " has not told";
    told.take(r, places.size(), places[r]);
  }
  EXPECT_EQ(told.ordered().rank_at, rank_places(places).rank_at);
  EXPECT_EQ(told.ordered().network.size(), rank_places(places).network.size());
  const NetworkLevel* const found = told.ordered().network.data();
  EXPECT_EQ(told.ordered().network.data(), found) << "found anew though nothing has changed";
  told.take(3, places.size(), places[3]);
  EXPECT_EQ(told.ordered().network.data(), found) << "found anew though rank 3 is where it was";
  std::swap(places[0], places[1]);
  told.take(0, places.size(), places[0]);
  told.take(1, places.size(), places[1]);
  EXPECT_EQ(told.ordered().rank_at, rank_places(places).rank_at);
}

TEST(ToldPlaces, of_a_simulated_machine_are_its_network) {
  ToldPlaces told({NetworkLevel{.name = "node", .group_ranks = 4}, NetworkLevel{.name = "all"}});
  EXPECT_EQ(names(told.ordered()), (std::vector<std::string>{"node", "all"}));
  EXPECT_TRUE(told.ordered().rank_at.empty());
}

TEST(RankPlaces, put_speed_and_background_where_the_rank_is) {
  std::vector<RankLoads> loads = communicating(8);
  for (std::size_t r = 0; r < loads.size(); ++r) {
    loads[r].capacity = 1 + static_cast<double>(r);
    loads[r].background_seconds = 0.01 * static_cast<double>(r);
  }
  const GatheredLoads gathered = gather(loads, true, rank_places(dealt_in_turn()));
  for (std::int32_t place = 0; place < 8; ++place) {
    const auto p = static_cast<std::size_t>(place);
    EXPECT_EQ(gathered.machine.speeds[p], 1 + gathered.rank_of(place));
    EXPECT_EQ(gathered.graph.background_seconds[p], 0.01 * gathered.rank_of(place));
  }
  for (std::size_t i = 0; i < gathered.graph.size(); ++i)
    EXPECT_EQ(gathered.rank_of(gathered.graph.rank[i]), static_cast<std::int32_t>(i / 2));
}

}  // namespace
}  // namespace roam::placement::rank_places_test
