// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "placement/communication_time.hpp"
#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// What a placement costs, in the order in which strategy topology compares.
struct PlacementCosts {
  double work_seconds = 0;           ///< of the slowest rank; only what is beyond the limit counts
  double busy_seconds = 0;           ///< BusyTimes::max_seconds
  double communication_seconds = 0;  ///< BusyTimes::communication_seconds
  double moved = 0;                  ///< bytes to move, or objects if their sizes are not known

  /// True if these are lower than `others` in the first of these in which they differ; times that
  /// differ by half a percent or less count as equal.
  [[nodiscard]] bool are_better_than(const PlacementCosts& others, double limit_seconds) const;
};

/// `outside`: as in busy_times().
[[nodiscard]] PlacementCosts costs_of(const LoadGraph& graph, const Machine& machine,
                                      const Placement& placement,
                                      std::span<const OutsideLink> outside = {});

struct TopologySettings {
  double imbalance = 0.01;  ///< allowed max / mean - 1 of the ranks' times
  std::span<const OutsideLink> outside =
      {};  ///< communication with objects that are not in the graph
};

/// Maps the objects, or all objects of a rank as a whole, anew to the tree of the machine's network
/// (topology/mapping), and also refines the present placement. Of these placements and the present
/// one, returns that in which the rank that is busy longest, with work and communication, is busy
/// for the shortest time. If objects do not communicate, it is plain refinement. Pure.
[[nodiscard]] Placement place_by_topology(const LoadGraph& graph, const Machine& machine,
                                          const TopologySettings& settings);

}  // namespace roam::placement
