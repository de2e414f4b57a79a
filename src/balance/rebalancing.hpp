// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "roam/balance/load.hpp"
#include "roam/mobile/resident_view.hpp"
#include "roam/placement/gathered_loads.hpp"

namespace roam::balance {

/// Where an object is in the problem. Throws roam::Error that names its class if that has no
/// coordinates().
[[nodiscard]] std::array<double, 3> coordinates_of(const mobile::ResidentView& object);

/// To move what a strategy has placed, with its share of gain and cost by its work; the reason is
/// whoever's who carries it out.
[[nodiscard]] Decision decision_of(const placement::ObjectNote& note,
                                   const placement::MovesOfAll& all);

}  // namespace roam::balance
