// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "group_candidates.hpp"
#include "job_groups.hpp"
#include "led_group.hpp"
#include "roam/placement/distributed.hpp"
#include "step_messages.hpp"

namespace roam::placement {

/// Leaders: hear which candidate is carried out, tell each member what it will then have, and each
/// rank that has objects of the candidate which of them move. Throws MalformedMessage unless
/// exactly one possible Verdict was received.
void send_orders(StepHost& host, Received received, const JobGroups& job, const LedGroup& group,
                 const GroupCandidates& candidates);

/// All ranks: what leaders have told of this rank's objects. `share`: of this rank; without a
/// message from its leader, all stays. Throws MalformedMessage if an object is to move that is not
/// here.
[[nodiscard]] DistributedStrategy::Result learn_orders(Received received, const JobGroups& job,
                                                       const RankShare& share);

}  // namespace roam::placement
