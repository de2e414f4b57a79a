// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/mapping/map_to_distances.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "roam/core/error.hpp"
#include "support/communication_instances.hpp"

namespace map_to_distances_test {

namespace {

using namespace roam::topology;

TEST(MapToDistances, small_ones_are_optimal) {
  roam::core::Random random(1);
  for (int i = 0; i < 60; ++i) {
    const auto size = static_cast<std::uint32_t>(2 + random.below(6));
    std::vector<Communication> communications;
    for (std::uint32_t k = 0; k < 3 * size; ++k) {
      communications.push_back({static_cast<std::uint32_t>(random.below(size)),
                                static_cast<std::uint32_t>(random.below(size)),
                                i % 2 == 0 ? std::floor(10 * random.unit()) : random.unit()});
    }
    const CommunicationGraph graph(size, communications);
    std::vector<double> distances(std::size_t{size} * size);
    for (double& d : distances) d = i % 3 == 0 ? random.unit() : std::floor(10 * random.unit());
    const auto places = map_to_distances(graph, distances, {.exchanges = 500});
    ASSERT_EQ(std::set(places.begin(), places.end()).size(), size);
    std::vector<std::uint32_t> any(size);
    std::iota(any.begin(), any.end(), 0U);
    double least = distance_cost(graph, distances, any);
    while (std::ranges::next_permutation(any).found) {
      least = std::min(least, distance_cost(graph, distances, any));
    }
    ASSERT_NEAR(distance_cost(graph, distances, places), least, 1e-5 * (1 + least)) << "case " << i;
  }
}

// A ring is mapped to a ring: it is optimal to preserve the order.
TEST(MapToDistances, finds_a_ring) {
  constexpr std::uint32_t size = 24;
  const CommunicationGraph graph = instances::shuffled(instances::ring(size, 1), 3).graph();
  std::vector<double> distances(size * size);
  for (std::uint32_t a = 0; a < size; ++a) {
    for (std::uint32_t b = 0; b < size; ++b) {
      const std::uint32_t apart = a > b ? a - b : b - a;
      distances[a * size + b] = std::min(apart, size - apart);
    }
  }
  const auto places = map_to_distances(graph, distances, {.exchanges = 20'000});
  EXPECT_EQ(distance_cost(graph, distances, places), 2 * size);
}

/// The distances of 8 nodes of two packages of four places.
std::vector<double> distances_in_nodes() {
  std::vector<double> distances(std::size_t{64} * 64);
  for (std::size_t a = 0; a < 64; ++a) {
    for (std::size_t b = 0; b < 64; ++b) {
      const double in_node = a / 4 == b / 4 ? 1 : 10;
      distances[a * 64 + b] = a == b ? 0 : a / 8 == b / 8 ? in_node : 100;
    }
  }
  return distances;
}

TEST(MapToDistances, is_the_same_in_any_unit) {
  // The search computes with small, large or broken numbers, whichever suffice.
  const std::vector<double> distances = distances_in_nodes();
  const auto mapped_in_units_of = [&](double unit) {
    roam::core::Random random(5);
    std::vector<Communication> communications;
    for (std::uint32_t v = 0; v < 64; ++v) {
      for (int i = 0; i < 4; ++i) {
        const auto u = static_cast<std::uint32_t>(random.below(64));
        communications.push_back({v, u, unit * static_cast<double>(1 + random.below(9))});
      }
    }
    return map_to_distances(CommunicationGraph(64, communications), distances, {.exchanges = 2000});
  };
  const auto places = mapped_in_units_of(1);
  EXPECT_EQ(mapped_in_units_of(10'007), places);
  EXPECT_EQ(mapped_in_units_of(1 << 26), places);
  EXPECT_EQ(mapped_in_units_of(0.125), places);
}

TEST(MapToDistances, refuses_what_does_not_fit) {
  const CommunicationGraph graph = instances::ring(8).graph();
  EXPECT_THROW((void)map_to_distances(graph, std::vector<double>(63)), roam::Error);
  std::vector<double> distances(64);
  distances[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)map_to_distances(graph, distances), roam::Error);
  EXPECT_THROW((void)map_to_distances(CommunicationGraph(5000, {}), {}), roam::Error);
}

}  // namespace

}  // namespace map_to_distances_test
