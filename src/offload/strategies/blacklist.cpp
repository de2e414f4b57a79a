// SPDX-License-Identifier: Apache-2.0
#include "blacklist.hpp"

namespace roam::offload {

namespace {

constexpr double kept_per_step = 0.9;  // "decrement the weight by 10 %"
constexpr double least_weight = 0.5;   // "entries with a weight below 0.5 are removed"

}  // namespace

void Blacklist::update(std::span<const Emergency> emergencies) {
  for (auto& [rank, weight] : weights_) weight *= kept_per_step;
  std::erase_if(weights_, [](const auto& entry) { return entry.second < least_weight; });
  for (const Emergency& one : emergencies) {
    if (one.times > 0) weights_[one.victim] += 1;
  }
}

std::vector<std::int32_t> Blacklist::ranks() const {
  std::vector<std::int32_t> ranks;
  ranks.reserve(weights_.size());
  for (const auto& [rank, weight] : weights_) ranks.push_back(rank);
  return ranks;
}

}  // namespace roam::offload
