// SPDX-License-Identifier: Apache-2.0
#include "job_groups.hpp"

#include <algorithm>

#include "roam/core/error.hpp"
#include "roam/placement/detail/rank_places.hpp"

namespace roam::placement {

namespace {

Machine machine_of_job(const RankShare& share) {
  Machine machine;
  machine.ranks = share.size;
  machine.workers_per_rank = 1;
  if (share.places != nullptr && !share.places->network.empty())
    machine.network = share.places->network;
  return machine;
}

const RankPlaces* places_of(const RankShare& share) {
  return share.places == nullptr || share.places->rank_at.empty() ? nullptr : share.places;
}

std::int32_t place_of(const RankShare& share) {
  const RankPlaces* const places = places_of(share);
  if (places == nullptr) return share.rank.value();
  return static_cast<std::int32_t>(std::ranges::find(places->rank_at, share.rank.value()) -
                                   places->rank_at.begin());
}

}  // namespace

JobGroups::JobGroups(const RankShare& share, std::int32_t most_ranks)
    : places_of_job_(places_of(share)),
      machine_(machine_of_job(share)),
      groups_(machine_, most_ranks),
      place_(place_of(share)),
      group_(groups_.group_of(place_)),
      places_(groups_.ranks_of(group_)) {}

std::int32_t JobGroups::rank_at(std::int32_t place) const {
  return is_in_order() ? place : places_of_job_->rank_at[static_cast<std::size_t>(place)];
}

std::int32_t JobGroups::group_of(Rank leader) const {
  const auto refuse = [] { throw MalformedMessage("a message that is for leaders"); };
  if (is_in_order()) {
    const std::int32_t group = groups_.group_of(leader.value());
    if (first_of(group) != leader.value()) refuse();
    return group;
  }
  if (group_of_leader_.empty()) {
    for (std::int32_t g = 0; g < count(); ++g) group_of_leader_.emplace(leader_of(g), g);
  }
  const auto found = group_of_leader_.find(leader.value());
  if (found == group_of_leader_.end()) refuse();
  return found->second;
}

std::size_t JobGroups::member(Rank rank) const {
  if (is_in_order()) {
    if (places_.contains(rank.value()))
      return static_cast<std::size_t>(rank.value() - places_.first);
  } else {
    for (std::int32_t place = places_.first; place < places_.last; ++place) {
      if (rank_at(place) == rank.value()) return static_cast<std::size_t>(place - places_.first);
    }
  }
  throw MalformedMessage("loads from a rank of another group");
}

void JobGroups::check(std::int64_t group) const {
  if (group < 0 || group >= count()) throw MalformedMessage("a group that is not there");
}

void JobGroups::require_leader() const {
  if (!leads()) throw MalformedMessage("a message for a leader to a rank that leads no group");
}

}  // namespace roam::placement
