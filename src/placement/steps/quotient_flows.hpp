// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flows.hpp"

namespace roam::placement {

/// Two groups that may give each other work.
struct QuotientEdge {
  std::int32_t a = 0;
  std::int32_t b = 0;
  double cost = 1;  ///< of a second of work that crosses the edge, either way; above 0
};

struct QuotientSettings {
  double imbalance = 0;  ///< surplus of at most this part of the share stays
  /// What finds no way along the edges goes straight to groups with room, near ones first.
  bool may_jump = false;
};

/// Plans flows along the edges of the quotient graph after which groups have their shares of all
/// work, as far as possible: each surplus goes along cheapest paths to the nearest groups that have
/// room. Every group on a path passes on work of its own, at most half of it. At most one flow for
/// each pair of groups; sorted by `from`, then `to`. O(groups x edges x log groups).
[[nodiscard]] std::vector<Flow> plan_quotient_flows(std::span<const GroupWork> groups,
                                                    std::span<const QuotientEdge> edges,
                                                    const QuotientSettings& settings);

}  // namespace roam::placement
