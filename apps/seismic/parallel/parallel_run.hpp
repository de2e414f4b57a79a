// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>

#include "parallel/run_settings.hpp"

namespace seismic {

/// The program of every rank: makes the mesh, runs its pieces to the end, and writes what was
/// recorded. Throws roam::Error if ranks lack the instruction set, files cannot be written, or
/// --check finds a difference.
[[nodiscard]] roam::Task<> run_waves(roam::Runtime& rt, const RunSettings& settings);

}  // namespace seismic
