// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "group_objects.hpp"
#include "job_groups.hpp"
#include "led_group.hpp"
#include "roam/core/detail/call_edge.hpp"
#include "roam/placement/distributed.hpp"
#include "step_messages.hpp"

namespace roam::placement {

/// Finds out where the objects are that those of a group communicate with, in five supersteps: the
/// members tell their leaders what they have; leaders ask other leaders, of which each keeps a list
/// of some objects, chosen by the objects' ids; these answer; and leaders tell each other what
/// objects of both communicate, so that it is known where either is.
class PartnerSearch {
 public:
  /// Both must outlive this.
  PartnerSearch(const JobGroups& job, LedGroup& group) : job_(job), group_(group) {}

  void tell_leader(StepHost& host, const RankShare& share) const;
  /// Leaders: hear the members; tell those who keep a list of some objects which of them are here,
  /// and ask where others are. `ranks`: of the job.
  void ask(StepHost& host, Received received, std::int32_t ranks);
  /// Leaders: answer from their lists. An object of which nobody has told has ended, or is on its
  /// way.
  void answer(StepHost& host, Received received) const;
  /// Leaders: make the calls that members have counted known where either object is.
  void tell_ties(StepHost& host, Received received);
  /// Leaders: hear them; the group is complete.
  void learn_ties(Received received);

 private:
  void hear_member(const StepMessage& message, std::int32_t ranks);
  /// The group whose leader keeps the list in which the object is.
  [[nodiscard]] std::int64_t list_of(std::uint64_t object) const;

  const JobGroups& job_;
  LedGroup& group_;
  std::vector<CallEdge> edges_;  // that the members have counted, until they are ties
};

/// Throws MalformedMessage if the tie is impossible.
void check_tie(const Tie& tie, const JobGroups& job);

}  // namespace roam::placement
