// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "settings.hpp"

namespace uts {

struct Figures {
  std::uint64_t nodes = 0;
  std::uint64_t calls = 0;
  double plain_seconds = 0;  ///< of the whole tree on one worker, without Roam; 0: not measured
  std::string balancer;
};

/// Prints the table of one run to standard output. Returns the efficiency: the part of the workers'
/// time in which they expanded nodes.
double print_report(const Settings& settings, const Figures& figures,
                    const std::vector<roam::RankStatistics>& ranks);

}  // namespace uts
