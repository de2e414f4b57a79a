// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// The times that a placement's ranks are busy, and the links that they share.
struct BusyTimes {
  /// The longest time that any of these is busy: the workers of a rank with work and messages; its
  /// network interface, which sends while they work; a link that ranks share (SharedLinkTimes).
  double max_seconds = 0;
  /// Time that communication takes of workers and interfaces of all ranks together, of what ranks
  /// share an equal part each.
  double communication_seconds = 0;
};

/// Communication of an object of a graph with one that is not in it, but on a rank of another part
/// of the machine.
struct OutsideLink {
  std::uint32_t object = 0;  ///< its number in the graph
  std::uint32_t level = 0;  ///< of Machine::network, on which any rank of the graph meets that rank
  double bytes = 0;
  double messages = 0;
};

/// The time that communication between ranks costs them, by the levels of the machine's network,
/// after LogGP (NetworkLevel): the workers at both ends spend the overhead of each message, the
/// interface of the sending rank spends the gap and the time of the bytes. Since links have no
/// direction, half of the latter is counted at each end. Links that ranks share (a node's
/// interface, memory) add what they take longer if each rank has an equal part of them, as if all
/// of them communicated: it is what a byte takes of a thing that others need, too. Links of a torus
/// do not count. Latency costs nothing as long as a rank has other work to do.
class CommunicationTime {
 public:
  explicit CommunicationTime(const Machine& machine);

  struct Seconds {
    double of_workers = 0;
    double of_interface = 0;
    double of_sharing = 0;  ///< added by an equal part of what ranks share
    [[nodiscard]] double sum() const { return of_workers + of_interface + of_sharing; }
  };
  /// The time that each of the two ranks spends; 0 within one rank.
  [[nodiscard]] Seconds seconds(const Link& link, std::int32_t a, std::int32_t b) const;
  /// Likewise, of ranks that meet on that level.
  [[nodiscard]] Seconds seconds(const OutsideLink& link) const {
    return levels_[link.level].of(link.messages, link.bytes);
  }

  /// The time that both ranks together spend for a link between objects whose ranks meet on the
  /// outermost level.
  [[nodiscard]] double most_seconds(const Link& link) const;
  /// The same time on each level as a share of that on the outermost one, for an average link;
  /// outermost level first, never increasing inwards.
  [[nodiscard]] std::vector<double> shares(const std::vector<Link>& links) const;

 private:
  struct Level {
    double overhead_per_message;  // seconds, as the next three
    double gap_per_message;
    double per_byte;
    double sharing_per_byte;
    [[nodiscard]] Seconds of(double messages, double bytes) const {
      return {messages * overhead_per_message, messages * gap_per_message + bytes * per_byte,
              bytes * sharing_per_byte};
    }
  };
  const Machine& machine_;
  std::vector<Level> levels_;  // innermost first, as in the machine
};

/// The background of a rank (LoadGraph) was measured and contains what its workers spent for the
/// messages of the graph's own placement: as much of it as LogGP gives them does not count again.
/// `outside`: further communication of the objects, of which the time at their end counts.
/// O(objects + links x levels + ranks).
[[nodiscard]] BusyTimes busy_times(const LoadGraph& graph, const Machine& machine,
                                   const Placement& placement,
                                   std::span<const OutsideLink> outside = {});

}  // namespace roam::placement
