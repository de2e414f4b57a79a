// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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

/// What the ranks of a job have told of their places, on the rank that decides. Each tells once, so
/// the order is found once, too. Used by one thread at a time.
class ToldPlaces {
 public:
  /// Of a simulated machine: all ranks are in their places, and nobody tells anything.
  explicit ToldPlaces(std::vector<NetworkLevel> network) : ordered_{std::move(network), {}} {}
  ToldPlaces() = default;

  /// Of a rank of a job of `size` ranks.
  void take(std::size_t rank, std::size_t size, const topology::Place& place);
  /// As rank_places(); while some have not told yet, none.
  [[nodiscard]] const RankPlaces& ordered();

 private:
  std::vector<topology::Place> told_;  // by rank
  bool is_in_order_ = true;            // nothing new since ordered_
  RankPlaces ordered_;
};

}  // namespace roam::placement
