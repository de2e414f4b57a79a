// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <vector>

#include "settings.hpp"

namespace netsort {

/// What the blocks did.
struct Figures {
  std::uint64_t comparisons = 0;
  double sorting_seconds = 0;  ///< in comparisons, over all blocks
  std::uint64_t fingerprint = 0;
};

/// Prints the table of one run to standard output, as in tables 11 and 12 of the DMCS paper: total
/// time and the runtime system's part in it, here with messages included. Writes settings.json.
/// Throws roam::Error if it cannot be written.
void report(const Settings& settings, const Figures& figures,
            const std::vector<roam::RankStatistics>& ranks);

}  // namespace netsort
