// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>

#include "settings.hpp"

namespace netsort {

/// The main program of every rank: creates the blocks that fall to it, connects neighbours, lets
/// them sort, and brings the result to rank 0, which compares it with a sort of its own and prints
/// the table.
roam::Task<> sort(roam::Runtime& rt, const Settings& settings);

}  // namespace netsort
