// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "group_objects.hpp"
#include "job_groups.hpp"
#include "roam/core/machine.hpp"
#include "roam/core/types.hpp"
#include "roam/placement/distributed.hpp"

namespace roam::placement {

/// What a leader knows of its group: the ranks, and the objects that are in the group now.
class LedGroup {
 public:
  /// `job` must outlive this.
  explicit LedGroup(const JobGroups& job) : job_(job), objects_(job.group(), job.places()) {}

  /// Leaders call this before all others; ranks have speed 1 and no work until they are added.
  void begin();
  /// A rank of the group: the seconds of work that it does per second, and its work that stays.
  /// Throws MalformedMessage if it is in another group, or the amounts are impossible.
  void add_rank(Rank rank, double capacity, double fixed_seconds);
  /// All ranks have been added.
  void end_ranks() { part_ = job_.machine_of_group(speeds_); }

  [[nodiscard]] GroupObjects& objects() { return objects_; }
  [[nodiscard]] const GroupObjects& objects() const { return objects_; }
  /// The ranks as a machine by itself.
  [[nodiscard]] const Machine& machine() const { return part_; }
  [[nodiscard]] const std::vector<double>& speeds() const { return speeds_; }
  [[nodiscard]] const std::vector<double>& fixed_seconds() const { return fixed_; }
  /// The group with the objects that are in it now.
  [[nodiscard]] GroupObjects::Problem problem() const {
    return objects_.problem(part_, fixed_, [this](std::int64_t group) {
      return job_.level_between(job_.group(), group);
    });
  }

 private:
  const JobGroups& job_;
  GroupObjects objects_;
  std::vector<double> speeds_;
  std::vector<double> fixed_;
  Machine part_;
};

}  // namespace roam::placement
