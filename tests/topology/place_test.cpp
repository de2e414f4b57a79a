// SPDX-License-Identifier: Apache-2.0
// Where threads and ranks run.
#include "roam/topology/detail/place.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

#include "roam/topology/detail/nearest.hpp"
#include "roam/topology/detail/this_machine.hpp"

namespace roam::topology::place_test {
namespace {

TEST(Place, of_one_processor_is_known_to_the_core) {
  if (!knows_this_machine()) GTEST_SKIP() << "built without hwloc";
  const Processors allowed = processors_of_this_thread();
  ASSERT_FALSE(allowed.empty());
  std::vector<Processors> sets;
  for (const std::int32_t cpu : allowed) sets.push_back({cpu});
  const std::vector<Place> places = places_of(sets);
  ASSERT_EQ(places.size(), sets.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NE(places[i].core, Place::unknown);
    EXPECT_LE(places[i].core, allowed[i]) << "the lowest processor of the core";
    EXPECT_LE(places[i].package, places[i].core);
    EXPECT_NE(places[i].package, Place::unknown);
    EXPECT_EQ(places[i].host, places.front().host);
  }
}

TEST(Place, of_all_of_a_machine_with_several_cores_is_in_none_of_them) {
  if (!knows_this_machine()) GTEST_SKIP() << "built without hwloc";
  const std::vector<Processors> all{processors_of_this_thread()};
  const Place place = places_of(all).front();
  EXPECT_NE(place.host, 0U);
  if (this_machine().ending_at(*this_machine().level_named("core")).leaves() > 1) {
    EXPECT_EQ(place.core, Place::unknown);
  }
}

TEST(Place, processors_of_a_thread_that_is_bound_are_those_it_is_bound_to) {
  const Processors allowed = processors_of_this_thread();
  ASSERT_FALSE(allowed.empty());
  std::thread([last = allowed.back()] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(processors_of_this_thread(), Processors{last});
  }).join();
}

/// Answers with the number of processors as package and the first of them as core.
struct Counted {
  std::atomic<int> calls{0};
  [[nodiscard]] LocalPlaces::Ask ask() {
    return [this](std::span<const Processors> sets) {
      ++calls;
      std::vector<Place> places;
      for (const Processors& set : sets) {
        places.push_back({.host = 1,
                          .package = static_cast<std::int32_t>(set.size()),
                          .core = set.empty() ? Place::unknown : set.front()});
      }
      return places;
    };
  }
};

TEST(LocalPlaces, ask_the_system_once_for_all_ranks_of_a_process_and_not_before_one_wants_to_know) {
  Counted system;
  const LocalPlaces places({{4, 5}, {}, {7}}, system.ask());
  EXPECT_EQ(system.calls, 0);
  EXPECT_EQ(places.processors(0), (Processors{4, 5}));
  EXPECT_EQ(places.processors(1), processors_of_this_thread());
  EXPECT_EQ(system.calls, 0);
  std::vector<std::thread> ranks;
  for (std::size_t i = 0; i < 3; ++i) {
    ranks.emplace_back([&places, i] {
      const RankLocation here(places, i);
      for (int times = 0; times < 100; ++times) EXPECT_EQ(here.place(), places.of_rank(i));
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(system.calls, 1);
  EXPECT_EQ(places.of_rank(0), (Place{.host = 1, .package = 2, .core = 4}));
  EXPECT_EQ(places.of_rank(2), (Place{.host = 1, .package = 1, .core = 7}));
  ASSERT_EQ(places.of_workers(0).size(), 2U);
  EXPECT_EQ(places.of_workers(0)[1].core, 5);
  EXPECT_TRUE(places.is_bound(0));
  EXPECT_FALSE(places.is_bound(1));
  EXPECT_TRUE(places.of_workers(1).empty()) << "not bound";
  ASSERT_EQ(places.of_workers(2).size(), 1U);
  EXPECT_EQ(places.of_workers(2)[0].core, 7);
}

using Lists = std::vector<std::vector<WorkerIndex>>;

TEST(NearestFirst, lists_those_of_a_cache_then_of_a_NUMA_node_then_of_a_package) {
  std::vector<Place> places;
  for (std::int32_t core = 0; core < 8; ++core) {
    places.push_back({.host = 1,
                      .package = core / 6,
                      .numa = core / 4,
                      .l3 = core / 2 == 1 ? Place::unknown : core / 2,
                      .core = core});
  }
  const auto nearest = nearest_first(places);
  ASSERT_EQ(nearest.size(), 8U);
  EXPECT_EQ(nearest[0], (Lists{{1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(nearest[2], (Lists{{0, 1, 3}, {4, 5}, {6, 7}}));  // it has no L3 cache
  EXPECT_EQ(nearest[5], (Lists{{4}, {6, 7}, {0, 1, 2, 3}}));
  EXPECT_EQ(nearest[7], (Lists{{6}, {4, 5}, {0, 1, 2, 3}}));
}

TEST(NearestFirst, says_nothing_where_all_are_equally_near) {
  EXPECT_TRUE(nearest_first(std::vector<Place>(6, {.package = 0, .numa = 0, .l3 = 0})).empty());
  EXPECT_TRUE(nearest_first(std::vector<Place>(6)).empty());
  EXPECT_TRUE(nearest_first(std::vector<Place>{{.l3 = 0}, {.l3 = 1}}).empty());
  EXPECT_TRUE(nearest_first({}).empty());
}

TEST(LocalPlaces, of_a_system_that_says_nothing_are_not_known) {
  const LocalPlaces places({{4}}, [](std::span<const Processors>) { return std::vector<Place>(); });
  EXPECT_EQ(places.of_rank(0), Place());
  EXPECT_EQ(places.of_workers(0).size(), 1U);
}

TEST(RankLocation, of_a_simulated_rank_is_nowhere) {
  const RankLocation nowhere;
  EXPECT_FALSE(nowhere.is_known());
  EXPECT_EQ(nowhere.place(), Place());
  EXPECT_TRUE(nowhere.processors().empty());
  EXPECT_TRUE(nowhere.places_of_workers().empty());
}

}  // namespace
}  // namespace roam::topology::place_test
