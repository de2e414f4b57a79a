// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ranks.hpp"
#include "roam/core/detail/machine_tree.hpp"

namespace roam_topology {

/// The tree as boxes inside each other, an SVG element. A tree of more leaves than can be seen is
/// drawn in part: of the groups of a group that are too many, the first ones, and how many more
/// there are.
[[nodiscard]] std::string drawing(const roam::MachineTree& tree, const RanksOnLeaves& ranks);

/// The colour of a level's boxes.
[[nodiscard]] std::string level_colour(std::size_t level, std::size_t depth);

/// Text for HTML and SVG.
[[nodiscard]] std::string escaped(const std::string& text);

}  // namespace roam_topology
