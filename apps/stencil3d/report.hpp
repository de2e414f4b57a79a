// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <string>

#include "field.hpp"
#include "settings.hpp"
#include "support/phase_figures.hpp"

namespace stencil3d {

struct Figures {
  std::int32_t ranks = 0;
  std::string balancer;
  double total_seconds = 0;  ///< balancing included
  Outcome outcome;
  roam::RunSummary run;
  support::PhaseFigures phases;
};

/// Throws roam::Error unless the mode has decayed as it must, to rounding, and the bits are those
/// of a serial computation, if that is asked for.
void check(const Settings& settings, const Outcome& outcome);

/// Prints the table, and writes it to settings.json if that is asked for. Throws roam::Error if it
/// cannot.
void report(const Settings& settings, const Figures& figures);

}  // namespace stencil3d
