// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>

#include "report.hpp"
#include "settings.hpp"

namespace uts {

/// The main program of a rank: rank 0 makes the root, and all wait until every node has been
/// counted. `result` is set on rank 0.
roam::Task<> search(roam::Runtime& rt, const Settings& settings, Result& result);

/// Throws roam::Error if the number of nodes differs from the published one.
void check_nodes(const Settings& settings, const Result& result);

}  // namespace uts
