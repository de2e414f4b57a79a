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
