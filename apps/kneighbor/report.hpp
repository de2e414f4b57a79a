// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "element.hpp"
#include "settings.hpp"
#include "support/phase_figures.hpp"

namespace kneighbor {

struct Figures {
  std::int32_t ranks = 0;
  std::string balancer;
  double total_seconds = 0;  ///< balancing included
  Counts counts;
  roam::RunSummary run;
  support::PhaseFigures phases;
};

/// Throws roam::Error unless all elements have received what they must have.
void check(const Settings& settings, const Counts& counts);

/// Prints the table, and writes it to settings.json if that is asked for. Throws roam::Error if it
/// cannot.
void report(const Settings& settings, const Figures& figures);

}  // namespace kneighbor
