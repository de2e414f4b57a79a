// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/core/machine.hpp"

namespace roam::placement {

/// For how long the links that ranks share are busy with the messages of a placement: what messages
/// inside a group pass (an L3 cache, a node's memory), and the links by which they leave a group
/// and come into it (a node's interface), see NetworkLevel. Each takes one message after the other.
/// Since communication has no direction, half of the bytes leave each of the two groups; several
/// uplinks of a group have equal parts. Links of a torus do not count.
class SharedLinkTimes {
 public:
  /// Keeps a reference to the machine, which has passed check(). O(ranks x levels) if ranks share
  /// links.
  explicit SharedLinkTimes(const Machine& machine);

  /// Adds what two ranks send to each other, both directions together.
  void add(std::int32_t a, std::int32_t b, double bytes);
  /// Adds what a rank of this machine and one beyond it send to each other, who meet on that level
  /// of the network: the links by which it leaves the groups inside of that level.
  void add_outside(std::int32_t rank, std::size_t level, double bytes);
  /// The time that the busiest link is busy, in seconds; 0 if nothing is shared.
  [[nodiscard]] double max_seconds() const;

 private:
  struct Level {
    std::vector<std::int32_t> group_of;  // of each rank
    double inside_per_byte = 0;          // seconds; 0: nothing is shared; as the next one
    double uplinks_per_byte = 0;
    std::vector<double> inside_seconds;  // of each group
    std::vector<double> uplink_seconds;  // of each group, each way
  };

  const Machine& machine_;
  std::vector<Level> levels_;  // innermost first; empty: nothing is shared
};

}  // namespace roam::placement
