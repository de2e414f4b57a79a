// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "rank_communication.hpp"
#include "roam/core/detail/machine_tree.hpp"
#include "roam/topology/detail/mapping/measures.hpp"

namespace roam_map {

/// The present and the proposed places of the ranks, a leaf of its own for each, and their costs.
struct Plan {
  roam::topology::Mapping now;
  roam::topology::Mapping proposed;  ///< equals the present one unless another placement costs less
  roam::topology::CommunicationMeasures before;
  roam::topology::CommunicationMeasures after;
  std::uint32_t moved = 0;  ///< ranks that change place
};

/// Reads the present places of the ranks from a list such as "0-3,8"; if it is empty, each rank is
/// on the usable leaf of its number. Throws roam::ConfigError if there are too few leaves, or the
/// list does not have one for each rank.
[[nodiscard]] roam::topology::Mapping present_placement(const std::string& list,
                                                        std::uint32_t ranks,
                                                        const roam::MachineTree& tree);

/// Which leaves ranks may be placed on.
enum class Places : std::uint8_t { all, present };

/// Looks for a placement that costs less; among those of equal cost, for one that moves few ranks.
[[nodiscard]] Plan make_plan(const RankCommunication& communication, const roam::MachineTree& tree,
                             roam::topology::Mapping now, Places places);

}  // namespace roam_map
