// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "roam/placement/distributed.hpp"

namespace roam::placement {

struct GossipSettings {
  std::int32_t iterations = 8;
  std::int32_t rounds = 4;  ///< in which rumours spread, per iteration
  std::int32_t fanout = 3;  ///< ranks that are told in a round
  std::int32_t known = 64;  ///< rumours that a rank keeps
  double imbalance = 0.02;  ///< that ranks may keep
  double seconds_per_object = 1e-6;
};

/// Grapevine (Menon and Kale, SC 2013) made iterative and safe: ranks with little work spread that
/// by rumours; ranks with much offer objects to those they have heard of, by chance; these refuse
/// what would make them last longer than the mean and longer than who offers. What was accepted may
/// be offered on in the next iteration; objects move once, at the end. No rank knows more than
/// `known` others.
[[nodiscard]] std::unique_ptr<DistributedStrategy> make_gossip_steps(const GossipSettings& settings,
                                                                     RankShare share);

}  // namespace roam::placement
