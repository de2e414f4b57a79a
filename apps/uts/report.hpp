// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "settings.hpp"

namespace uts {

/// Of one run.
struct Result {
  std::uint64_t nodes = 0;
  std::uint64_t calls = 0;
  /// Of the whole tree on one worker, without Roam, while the others do the same; 0: not measured.
  double plain_seconds = 0;
  std::string balancer;
  std::vector<roam::RankStatistics> ranks;
};

/// The part of all workers' time that the tree takes on one worker without Roam; where that has not
/// been measured, in which they expanded nodes.
[[nodiscard]] double efficiency(const Result& result);

/// Prints the table of one run to standard output.
void print_report(const Settings& settings, const Result& result);

}  // namespace uts
