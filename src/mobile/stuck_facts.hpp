// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "holders.hpp"
#include "roam/mobile/detail/residents.hpp"
#include "roam/mobile/detail/stuck_report.hpp"

namespace roam::mobile {

/// Adds what one rank knows of a stuck job: its objects that run something, are held or have calls
/// that cannot start. The rest is in quiescence.cpp.
void add_stuck_objects(StuckFacts& facts, const Residents& residents, const Holders& holders)
    ROAM_EXCLUDES(inside_shard);

}  // namespace roam::mobile
