// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// What a placement's ranks are busy with.
struct BusyTimes {
  /// Of the rank that is busy longest: its workers with work and messages, or its interface, which
  /// sends while they work.
  double max_seconds = 0;
  double talk_seconds = 0;  ///< what talk takes of workers and interfaces of all ranks together
};

/// What talk between ranks takes of them, by the levels of the machine's network, after LogGP
/// (NetworkLevel): of the workers at both ends the overhead of each message, of the interface of
/// the rank that sends it the gap and the bytes. Since links do not tell directions, half of the
/// latter is counted at each end. Latency takes nothing of those who have other work to do.
class TalkTime {
 public:
  explicit TalkTime(const Machine& machine);

  struct Seconds {
    double of_workers = 0;
    double of_interface = 0;
    [[nodiscard]] double sum() const { return of_workers + of_interface; }
  };
  /// Of each of the two ranks; nothing within one.
  [[nodiscard]] Seconds seconds(const Link& link, std::int32_t a, std::int32_t b) const;

  /// The sum of both for a link between objects whose ranks meet on the outermost level.
  [[nodiscard]] double most_seconds(const Link& link) const;
  /// Such sums on each level as a share of those on the outermost one, for the average of the
  /// links, the outermost first; not growing inwards.
  [[nodiscard]] std::vector<double> shares(const std::vector<Link>& links) const;

 private:
  struct Level {
    double overhead_per_message;  // seconds, all three
    double gap_per_message;
    double per_byte;
    [[nodiscard]] Seconds of(double messages, double bytes) const {
      return {messages * overhead_per_message, messages * gap_per_message + bytes * per_byte};
    }
  };
  const Machine& machine_;
  std::vector<Level> levels_;  // innermost first, as in the machine
};

/// O(objects + links x levels + ranks).
[[nodiscard]] BusyTimes busy_times(const LoadGraph& graph, const Machine& machine,
                                   const Placement& placement);

}  // namespace roam::placement
