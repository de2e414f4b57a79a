// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <string>
#include <vector>

namespace synthetic {

struct Figures {
  std::int64_t objects = 0;
  double planned_seconds = 0;  ///< of all objects
  std::string balancer;
};

/// Prints the table of one run to standard output. Returns makespan / mean load.
double print_report(const Figures& figures, const std::vector<roam::RankStatistics>& ranks);

}  // namespace synthetic
