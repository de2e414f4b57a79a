// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "settings.hpp"

namespace uts {

/// The result of one run.
struct Result {
  std::uint64_t nodes = 0;
  std::uint64_t calls = 0;
  /// Time of one worker for the whole tree without Roam, while all others do the same; 0: not
  /// measured.
  double plain_seconds = 0;
  std::string balancer;
  std::vector<roam::RankStatistics> ranks;
};

/// The part of all workers' time that one worker needs for the tree without Roam; where that was
/// not measured, the part in which they expanded nodes.
[[nodiscard]] double efficiency(const Result& result);

/// Prints the table of one run to standard output.
void print_report(const Settings& settings, const Result& result);

}  // namespace uts
