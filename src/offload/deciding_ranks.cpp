// SPDX-License-Identifier: Apache-2.0
#include "deciding_ranks.hpp"

#include <algorithm>
#include <utility>

namespace roam::offload {

DecidingRanks::DecidingRanks(MakeStrategy make, std::int32_t size, MachineGroups groups)
    : make_(std::move(make)), size_(size), of_machine_(std::move(groups)), strategy_(make_(size)) {
  find_groups();
}

void DecidingRanks::set_hosts(std::vector<RankHost> hosts) {
  hosts_ = std::move(hosts);
  find_groups();
}

void DecidingRanks::set_helpers(const std::vector<HelperRanks::Measured>& helpers) {
  const auto is_same = [](const RankHost& known, const HelperRanks::Measured& one) {
    return known.rank == one.host.rank;
  };
  if (std::ranges::equal(helpers_, helpers, is_same)) return;
  helpers_.clear();
  for (const HelperRanks::Measured& one : helpers) helpers_.push_back(one.host);
  strategy_ = make_(size_ + static_cast<std::int32_t>(helpers_.size()));
  find_groups();
}

std::int32_t DecidingRanks::rank_of(std::int32_t number) const {
  // A strategy may name ranks that there are not.
  if (number < size_ || number - size_ >= static_cast<std::int32_t>(helpers_.size())) return number;
  return helpers_[static_cast<std::size_t>(number - size_)].rank;
}

std::optional<std::int32_t> DecidingRanks::number_of(std::int32_t rank) const {
  if (rank < size_) return rank;
  const auto place = std::ranges::find(helpers_, rank, &RankHost::rank);
  if (place == helpers_.end()) return std::nullopt;
  return size_ + static_cast<std::int32_t>(place - helpers_.begin());
}

void DecidingRanks::number(std::vector<Emergency>& emergencies) const {
  std::erase_if(emergencies, [this](Emergency& one) {
    const auto victim = number_of(one.victim);
    if (victim) one.victim = *victim;
    return !victim;
  });
}

void DecidingRanks::number(std::vector<Flow>& flows) const {
  std::erase_if(flows, [this](Flow& one) {
    const auto to = number_of(one.to);
    if (to) one.to = *to;
    return !to;
  });
}

void DecidingRanks::find_groups() {
  const auto ranks = static_cast<std::size_t>(size_) + helpers_.size();
  if (of_machine_.empty()) {
    std::vector<RankHost> hosts = hosts_;
    for (const RankHost& one : helpers_) {
      hosts.push_back(one);
      hosts.back().rank = *number_of(one.rank);
    }
    groups_ = groups_of(hosts, ranks);
    return;
  }
  groups_.clear();
  for (const std::vector<std::int32_t>& level : of_machine_) {
    std::vector<std::int32_t>& group_of = groups_.emplace_back();
    for (std::size_t i = 0; i < ranks; ++i)
      group_of.push_back(level[Rank(rank_of(static_cast<std::int32_t>(i))).index()]);
  }
}

}  // namespace roam::offload
