// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>

#include "parallel/program_settings.hpp"

namespace mesh_refine {

/// The main program of every rank: rank 0 prepares the problem, makes a mobile object of each
/// subdomain and disperses them in blocks; then all are refined wherever they are or are moved to;
/// then rank 0 collects what they say about themselves, checks it and reports. On rank 0
/// `exit_status` becomes 1 when the mesh is not what it must be, 2 when the input cannot be used
/// (reported on standard error).
roam::Task<> refine_in_parallel(roam::Runtime& rt, const ProgramSettings& settings,
                                int& exit_status);

}  // namespace mesh_refine
