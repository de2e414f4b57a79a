// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>

#include "settings.hpp"

namespace synthetic {

/// The main program of every rank: rank 0 creates the objects, disperses them in blocks, invokes
/// their work, hears of the end of each, and prints the table.
roam::Task<> benchmark(roam::Runtime& rt, const Settings& settings);

}  // namespace synthetic
