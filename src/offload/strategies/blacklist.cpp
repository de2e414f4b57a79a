// SPDX-License-Identifier: Apache-2.0
#include "blacklist.hpp"

#include <set>

namespace roam::offload {

namespace {

constexpr double kept_per_step = 0.9;  // "decrement the weight by 10 %"
constexpr double least_weight = 0.5;   // "entries with a weight below 0.5 are removed"

}  // namespace

void Blacklist::update(std::span<const Emergency> emergencies) {
  for (auto& [rank, entry] : weights_) entry.weight *= kept_per_step;
  std::erase_if(weights_, [](const auto& one) { return one.second.weight < least_weight; });
  std::set<std::int32_t> added;
  for (const Emergency& one : emergencies) {
    if (one.times == 0 || one.reason == EmergencyReason::congestion) continue;
    if (added.insert(one.victim).second) add(one, 1);
  }
}

void Blacklist::add(const Emergency& one, double weight) {
  Entry& entry = weights_[one.victim];
  entry.weight += weight;
  entry.reason = one.reason;
}

std::vector<Blacklisted> Blacklist::ranks() const {
  std::vector<Blacklisted> ranks;
  ranks.reserve(weights_.size());
  for (const auto& [rank, entry] : weights_) ranks.push_back({rank, entry.reason});
  return ranks;
}

}  // namespace roam::offload
