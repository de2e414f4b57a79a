// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ranks.hpp"
#include "roam/core/detail/machine_tree.hpp"

namespace roam_topology {

/// The tree as nested boxes, an SVG element. If it has too many leaves to be seen, only the first
/// children of a group are drawn, with the number of those left out.
[[nodiscard]] std::string drawing(const roam::MachineTree& tree, const RanksOnLeaves& ranks);

/// The colour of a level's boxes.
[[nodiscard]] std::string level_colour(std::size_t level, std::size_t depth);

/// Text for HTML and SVG.
[[nodiscard]] std::string escaped(const std::string& text);

}  // namespace roam_topology
