// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "rank_talk.hpp"
#include "roam/core/detail/machine_tree.hpp"
#include "roam/topology/detail/mapping/measures.hpp"

namespace roam_map {

/// Where the ranks are and where they should be, a leaf of its own for each, and what that costs.
struct Plan {
  roam::topology::Mapping now;
  roam::topology::Mapping proposed;  ///< the same as now unless another placement costs less
  roam::topology::TalkMeasures before;
  roam::topology::TalkMeasures after;
  std::uint32_t moved = 0;  ///< ranks that change place
};

/// Where the ranks are: as "0-3,8" says, or if that is empty, each rank on the usable leaf of its
/// number. Throws roam::ConfigError if the leaves are too few, or the list does not have one for
/// each rank.
[[nodiscard]] roam::topology::Mapping present_placement(const std::string& list,
                                                        std::uint32_t ranks,
                                                        const roam::MachineTree& tree);

/// Which leaves ranks may be placed on.
enum class Places : std::uint8_t { all, present };

/// Looks for a placement that costs less; of those that cost the same, for one that moves few
/// ranks.
[[nodiscard]] Plan make_plan(const RankTalk& talk, const roam::MachineTree& tree,
                             roam::topology::Mapping now, Places places);

}  // namespace roam_map
