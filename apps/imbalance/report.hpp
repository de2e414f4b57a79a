// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "settings.hpp"

namespace imbalance {

/// The figures of one run, on rank 0.
struct Figures {
  std::int32_t ranks = 0;
  std::string balancer;
  double ideal_seconds = 0;     ///< time of an iteration with all work spread evenly
  double total_seconds = 0;     ///< time of all iterations, balancing included
  std::int64_t units_done = 0;  ///< work units, counted by the objects
  std::vector<roam::balance::PhaseReport> phases;
};

void print_header();
void print_phase(const roam::balance::PhaseReport& phase, double ideal_seconds);
void print_summary(const Figures& figures);
/// Throws roam::Error if the file cannot be written.
void write_json(const Figures& figures, const std::string& path);

}  // namespace imbalance
