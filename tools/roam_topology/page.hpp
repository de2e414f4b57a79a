// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ranks.hpp"
#include "roam/core/detail/machine_tree.hpp"

namespace roam_topology {

/// A self-contained HTML page: the drawing and the table of levels.
[[nodiscard]] std::string page(const roam::MachineTree& tree, const RanksOnLeaves& ranks,
                               const std::string& source);

}  // namespace roam_topology
