// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../strategies/topology_place.hpp"
#include "job_groups.hpp"
#include "led_group.hpp"
#include "roam/placement/distributed.hpp"
#include "step_messages.hpp"

namespace roam::placement {

/// Which placements are compared: that at the start, that which groups reach by themselves, and
/// that after objects have been exchanged.
enum class Candidate : std::uint8_t { present, inside, exchanged };
inline constexpr std::size_t candidate_count = 3;

/// What the first leader has decided. Plain bytes.
struct Verdict {
  std::uint64_t best;  ///< a Candidate
  double busy_now;     ///< BusyTimes::max_seconds
  double busy_then;
};

struct CandidateSettings {
  double imbalance = 0.01;        ///< allowed max / mean - 1 of the ranks' times
  double seconds_per_object = 0;  ///< of placing a group, in virtual time
  double seconds_per_link = 0;    ///< likewise
};

/// A leader's candidates for the placement of its group.
class GroupCandidates {
 public:
  /// `group` must outlive this.
  GroupCandidates(const LedGroup& group, const CandidateSettings& settings)
      : group_(group), settings_(settings) {}

  /// Notes what is in the group before objects are exchanged.
  void begin();
  /// Places those objects, and those that are in the group now, if any were exchanged, within a
  /// limit of the time that a rank works. Tells the first leader what each candidate costs.
  void decide(StepHost& host, const JobGroups& job, bool has_exchanged, double limit_seconds);

  /// The objects of a candidate, and the rank of each, counted from the group's first.
  [[nodiscard]] const std::vector<ObjectNote>& objects(Candidate candidate) const;
  [[nodiscard]] const Placement& placement(Candidate candidate) const;

 private:
  [[nodiscard]] Placement placed(StepHost& host, const GroupObjects::Problem& problem,
                                 double limit_seconds) const;
  [[nodiscard]] double imbalance_of(const LoadGraph& graph, double limit_seconds) const;

  const LedGroup& group_;
  const CandidateSettings settings_;
  GroupObjects::Problem at_first_;       // before objects are exchanged
  std::vector<ObjectNote> first_notes_;  // the objects then
  Placement inside_;
  Placement exchanged_;
};

/// The first leader: takes the best of the candidates, the same in all groups, and tells all
/// leaders.
void choose_candidate(StepHost& host, Received received, const JobGroups& job,
                      double limit_seconds);

}  // namespace roam::placement
