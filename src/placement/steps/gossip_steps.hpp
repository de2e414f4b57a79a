// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "roam/placement/distributed.hpp"

namespace roam::placement {

struct GossipSettings {
  std::int32_t iterations = 8;
  std::int32_t rounds = 4;  ///< rounds of rumours per iteration
  std::int32_t fanout = 3;  ///< ranks that each rank tells in a round
  std::int32_t known = 64;  ///< rumours that a rank stores
  double imbalance = 0.02;  ///< imbalance that ranks may be left with
  double seconds_per_object = 1e-6;
};

/// Grapevine (Menon and Kale, SC 2013), made iterative and safe. Ranks with little work spread that
/// fact by rumours; ranks with much work offer objects to ranks, chosen at random, that they have
/// heard of; these refuse objects that would make them last longer than the mean and longer than
/// the giver. An accepted object may be passed on in the next iteration; objects move once, at the
/// end. No rank knows more than `known` others.
[[nodiscard]] std::unique_ptr<DistributedStrategy> make_gossip_steps(const GossipSettings& settings,
                                                                     RankShare share);

}  // namespace roam::placement
