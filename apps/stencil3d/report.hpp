// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <string>

#include "field.hpp"
#include "settings.hpp"
#include "support/phased_run.hpp"

namespace stencil3d {

/// Throws roam::Error unless the mode has decayed as expected, to rounding, and, if that is to be
/// checked, the result is bitwise that of a serial computation.
void check(const Settings& settings, const Outcome& outcome);

/// Prints the table, and writes it to settings.json if that is asked for. Throws roam::Error if it
/// cannot.
void report(const Settings& settings, const support::RunFigures& figures, const Outcome& outcome);

}  // namespace stencil3d
