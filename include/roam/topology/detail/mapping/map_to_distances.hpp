// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam::topology {

struct DistanceMapOptions {
  /// The number of exchanges to make; one takes about n^2 / 2 ns.
  std::uint64_t exchanges = 100'000;
  std::uint64_t seed = 1;
};

/// The most places that map_to_distances() accepts, because of the memory and time that n x n
/// values take.
inline constexpr std::uint32_t most_places = 4096;

/// Puts n objects on n places, one on each, so that the sum over pairs of amount x distance is
/// small, whatever the distances are. This is the quadratic assignment problem, solved by robust
/// tabu search (Taillard 1991) over exchanges of two objects, with the gains of all exchanges
/// updated after each by one rank-one update. `distances` is an n x n matrix, row by row; the
/// distance of a pair is the mean of both directions, and the distance of a place from itself does
/// not count. Returns the place of each object. Throws Error if sizes do not fit or a distance is
/// not finite. The same arguments give the same result. Pure; one thread.
[[nodiscard]] std::vector<std::uint32_t> map_to_distances(const CommunicationGraph& graph,
                                                          std::span<const double> distances,
                                                          const DistanceMapOptions& options = {});

/// The sum over pairs of amount x distance (the mean of both directions).
[[nodiscard]] double distance_cost(const CommunicationGraph& graph,
                                   std::span<const double> distances,
                                   std::span<const std::uint32_t> places);

}  // namespace roam::topology
