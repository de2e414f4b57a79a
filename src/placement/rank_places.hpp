// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/machine.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::placement {

/// The ranks of a running job in the order of the machine's tree, in which those of a core, a
/// cache, a package and a host stand together, however the launcher has dealt them out.
struct RankPlaces {
  /// The groups of the tree that tell ranks apart, as the network of a Machine whose rank p is at
  /// place p; empty: all are equally near, or somebody's host is not known.
  std::vector<NetworkLevel> network;
  std::vector<std::int32_t> rank_at;  ///< of each place; empty: rank p is at place p
};

/// `places`: of each rank. Ranks that may use several groups of a level are alone in one, as what
/// they share with others is not known: they meet these further out.
[[nodiscard]] RankPlaces rank_places(std::span<const topology::Place> places);

}  // namespace roam::placement
