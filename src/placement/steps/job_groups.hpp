// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rank_groups.hpp"
#include "roam/core/machine.hpp"
#include "roam/core/types.hpp"
#include "roam/placement/distributed.hpp"

namespace roam::placement {

/// The groups of the ranks of a job (RankGroups), as one rank sees them: which one is its own, and
/// who leads them. A place is the position of a rank in the order of the machine's tree; the rank
/// at the first place of a group leads it. One thread at a time.
class JobGroups {
 public:
  /// `share`: of this rank; its RankPlaces must outlive this.
  JobGroups(const RankShare& share, std::int32_t most_ranks);

  [[nodiscard]] std::int32_t count() const { return groups_.count(); }
  /// Of this rank.
  [[nodiscard]] std::int32_t place() const { return place_; }
  [[nodiscard]] std::int32_t group() const { return group_; }
  /// The places of the ranks of this group.
  [[nodiscard]] TreeRange places() const { return places_; }
  [[nodiscard]] bool leads() const { return place_ == places_.first; }
  /// Whether this rank leads the first group, and so decides between groups.
  [[nodiscard]] bool leads_all() const { return place_ == 0; }

  [[nodiscard]] std::int32_t rank_at(std::int32_t place) const;
  [[nodiscard]] std::int32_t leader_of(std::int64_t group) const {
    return rank_at(first_of(group));
  }
  /// Throws MalformedMessage if the rank leads no group. The first call is O(groups) if ranks are
  /// not in the order of their places, else all are O(log groups).
  [[nodiscard]] std::int32_t group_of(Rank leader) const;
  /// The place of a member of this group, counted from the group's first; throws MalformedMessage
  /// if the rank is none.
  [[nodiscard]] std::size_t member(Rank rank) const;
  /// The level of the network on which ranks of two groups meet.
  [[nodiscard]] std::size_t level_between(std::int64_t a, std::int64_t b) const {
    return machine_.level_between(first_of(a), first_of(b));
  }
  /// The ranks of this group as a machine by itself.
  [[nodiscard]] Machine machine_of_group(std::vector<double> speeds) const {
    return machine_of_ranks(machine_, places_, std::move(speeds));
  }

  /// Throws MalformedMessage if there is no such group.
  void check(std::int64_t group) const;
  /// Throws MalformedMessage if this rank leads no group.
  void require_leader() const;

 private:
  [[nodiscard]] bool is_in_order() const { return places_of_job_ == nullptr; }
  [[nodiscard]] std::int32_t first_of(std::int64_t group) const {
    return groups_.ranks_of(static_cast<std::int32_t>(group)).first;
  }

  const RankPlaces* const places_of_job_;  // nullptr: ranks are in the order of their places
  const Machine machine_;                  // all ranks by their places, without their speeds
  const RankGroups groups_;                // of places
  const std::int32_t place_;
  const std::int32_t group_;
  const TreeRange places_;
  mutable std::unordered_map<std::int32_t, std::int32_t> group_of_leader_;  // filled when needed
};

}  // namespace roam::placement
