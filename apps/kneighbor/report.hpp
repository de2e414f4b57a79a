// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "element.hpp"
#include "settings.hpp"
#include "support/phased_run.hpp"

namespace kneighbor {

/// Throws roam::Error unless all elements have received the expected messages.
void check(const Settings& settings, const Counts& counts);

/// Prints the table, and writes it to settings.json if that is asked for. Throws roam::Error if it
/// cannot.
void report(const Settings& settings, const support::RunFigures& figures, const Counts& counts);

}  // namespace kneighbor
