// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <roam/trace/run_trace.hpp>
#include <vector>

#include "settings.hpp"

namespace amr_steps {

/// The results that rank 0 has at the end.
struct Result {
  std::vector<double> step_seconds;
  std::uint64_t checksum = 0;  ///< of all ranks' cells, in the order of ranks
  roam::RunSummary summary;
  std::vector<roam::trace::OffloadStep> offloading;  ///< of the steps that were decided
};

[[nodiscard]] roam::Task<> run_steps(roam::Runtime& rt, const Settings& settings, Result& result);

}  // namespace amr_steps
