// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan.hpp"
#include "rank_communication.hpp"
#include "roam/core/detail/machine_tree.hpp"

namespace roam_map {

/// A description of the data, a table of the placements' costs, and what the proposed one saves.
[[nodiscard]] std::string summary_text(const RankCommunication& communication,
                                       const roam::MachineTree& tree, const Plan& plan);

/// A number for readers: 12,345,678, with decimals if it is small.
[[nodiscard]] std::string figure(double number);

}  // namespace roam_map
