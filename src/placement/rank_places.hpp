// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/machine.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::placement {

/// The ranks of a running job in the order of the machine's tree: ranks on the same core, cache,
/// package or host are neighbours, however the launcher has numbered them.
struct RankPlaces {
  /// The groups of the tree that distinguish ranks, as the network of a Machine whose rank p is at
  /// place p; empty if all are equally near, or if the host of some rank is not known.
  std::vector<NetworkLevel> network;
  std::vector<std::int32_t> rank_at;  ///< the rank at each place; empty: rank p is at place p
};

/// `places`: the place of each rank. A rank that may use several groups of a level gets a group of
/// its own on that level, since it is not known what it shares with others.
[[nodiscard]] RankPlaces rank_places(std::span<const topology::Place> places);

}  // namespace roam::placement
