// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/mapping/map_to_distances.hpp"

#include <cmath>
#include <numeric>
#include <string>

#include "exchange_search.hpp"
#include "roam/core/error.hpp"

namespace roam::topology {

namespace {

/// The mean of both directions, 0 on the diagonal.
std::vector<double> symmetric(std::span<const double> distances, std::size_t size) {
  std::vector<double> result(distances.size());
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) {
      if (a != b) result[a * size + b] = (distances[a * size + b] + distances[b * size + a]) / 2;
    }
  }
  return result;
}

}  // namespace

std::vector<std::uint32_t> map_to_distances(const CommunicationGraph& graph,
                                            std::span<const double> distances,
                                            const DistanceMapOptions& options) {
  const std::size_t size = graph.size();
  if (size > most_places) {
    throw Error("mapping: " + std::to_string(size) + " places with general distances are beyond " +
                std::to_string(most_places));
  }
  if (distances.size() != size * size) {
    throw Error("mapping: " + std::to_string(distances.size()) + " distances for " +
                std::to_string(size) + " objects on as many places");
  }
  for (const double distance : distances) {
    if (!std::isfinite(distance)) throw Error("mapping: a distance is not finite");
  }
  core::Random random(options.seed);
  const std::vector<double> both_ways = symmetric(distances, size);
  std::vector<std::uint32_t> place(size);
  std::iota(place.begin(), place.end(), 0U);
  for (std::size_t i = size; i > 1; --i) std::swap(place[i - 1], place[random.below(i)]);
  exchange_objects({&graph, both_ways}, options.exchanges, random, place);
  return place;
}

double distance_cost(const CommunicationGraph& graph, std::span<const double> distances,
                     std::span<const std::uint32_t> places) {
  const std::size_t size = graph.size();
  double twice = 0;
  for (std::uint32_t v = 0; v < size; ++v) {
    for (const auto& [u, amount] : graph.of(v)) {
      twice += amount * distances[places[v] * size + places[u]];
    }
  }
  return twice / 2;
}

}  // namespace roam::topology
