// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// What a placement's ranks are busy with.
struct BusyTimes {
  double max_seconds = 0;   ///< of the rank that is busy longest: work and talk
  double talk_seconds = 0;  ///< talk alone, of all ranks together
};

/// What talk between ranks costs them, by the levels of the machine's network, after LogGP
/// (NetworkLevel): each message takes the overhead of a worker at both ends, and a gap and its
/// bytes on the interface of the rank that sends it. Since links do not tell directions, half of
/// them are counted at each end. Latency costs nobody any time who has other work to do.
class TalkTime {
 public:
  explicit TalkTime(const Machine& machine);

  /// Of each of the two ranks; nothing within one.
  [[nodiscard]] double seconds(const Link& link, std::int32_t a, std::int32_t b) const;

  /// The same of a link between objects whose ranks meet on the outermost level.
  [[nodiscard]] double most_seconds(const Link& link) const;
  /// Seconds on each level as a share of those on the outermost one, for the average of the links,
  /// the outermost first; not growing inwards.
  [[nodiscard]] std::vector<double> shares(const std::vector<Link>& links) const;

 private:
  struct Level {
    double seconds_per_message;
    double seconds_per_byte;
    [[nodiscard]] double of(double messages, double bytes) const {
      return messages * seconds_per_message + bytes * seconds_per_byte;
    }
  };
  const Machine& machine_;
  std::vector<Level> levels_;  // innermost first, as in the machine
};

/// O(objects + links x levels + ranks).
[[nodiscard]] BusyTimes busy_times(const LoadGraph& graph, const Machine& machine,
                                   const Placement& placement);

}  // namespace roam::placement
