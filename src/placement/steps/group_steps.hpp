// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "give_away.hpp"
#include "roam/placement/distributed.hpp"
#include "roam/placement/load_graph.hpp"

namespace roam::placement {

struct GroupSettings {
  std::int32_t group_ranks = 512;  ///< consecutive ranks of a group; the first one leads
  std::int32_t arity = 1 << 20;    ///< arity of the tree of groups, see plan_flows()
  double imbalance = 0.001;        ///< imbalance that groups may be left with
  double seconds_per_object = 1e-6;
  /// Places the objects of one group on its ranks.
  std::function<Placement(const LoadGraph& graph, const Machine& machine)> inside;
};

/// Groups of ranks: members tell their leader what they have, leaders tell rank 0 how much that is,
/// rank 0 says which group gives how much to which; leaders hand each other the objects' notes,
/// place what they then have, and tell the owners what moves. No rank looks at more than the
/// objects of one group.
[[nodiscard]] std::unique_ptr<DistributedStrategy> make_group_steps(GroupSettings settings,
                                                                    RankShare share);

}  // namespace roam::placement
