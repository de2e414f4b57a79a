// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>

#include "settings.hpp"

namespace uts {

/// The main program of every rank: rank 0 makes the root, and prints the table when all nodes have
/// been counted. Throws roam::Error for another number of nodes than the published one.
roam::Task<> search(roam::Runtime& rt, const Settings& settings);

}  // namespace uts
