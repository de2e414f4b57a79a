// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan.hpp"
#include "rank_talk.hpp"
#include "roam/core/detail/machine_tree.hpp"

namespace roam_map {

/// What there is, a table of what the placements cost, and what the proposed one saves.
[[nodiscard]] std::string summary_text(const RankTalk& talk, const roam::MachineTree& tree,
                                       const Plan& plan);

/// A number for people: 12,345,678, and with a fraction where it is small.
[[nodiscard]] std::string figure(double number);

}  // namespace roam_map
