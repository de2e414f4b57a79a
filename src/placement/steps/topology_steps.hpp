// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "roam/placement/distributed.hpp"

namespace roam::placement {

struct TopologyStepsSettings {
  std::int32_t most_ranks = 256;  ///< of a group
  double imbalance = 0.01;        ///< allowed max / mean - 1 of the ranks' times
  double seconds_per_object = 0;  ///< of a group's decision, in virtual time
  double seconds_per_link = 0;    ///< likewise
};

/// Strategy topology in groups of ranks, subtrees of the machine (RankGroups), whose first ranks
/// lead them. The leaders find out which groups their objects communicate with; rank 0, which sees
/// the work of groups and the bytes between them alone, says how much work goes where along the
/// quotient graph (plan_quotient_flows); leaders hand each other those objects that communicate
/// most across the border. Groups with too many large objects to share them evenly exchange some
/// for small ones (plan_size_mix). Then leaders place what they have (place_by_topology). Rank 0
/// compares the result, and that of groups without exchange, with what is there, and the best of
/// the three is carried out. So the limit of the ranks' work is exceeded only where it is already,
/// and there by no more, and nothing moves where nothing is gained. No rank sees more than the
/// objects of one group and their ties.
[[nodiscard]] std::unique_ptr<DistributedStrategy> make_topology_steps(
    const TopologyStepsSettings& settings, RankShare share);

}  // namespace roam::placement
