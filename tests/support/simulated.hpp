// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/runtime/simulated_job.hpp"

namespace roam::testing {

/// A job on a simulated machine with nothing out of the ordinary.
[[nodiscard]] inline SimulatedJobOptions simulated(std::int32_t ranks, std::uint64_t seed = 1,
                                                   std::uint32_t workers = 1) {
  SimulatedJobOptions options;
  options.options.simulate = Machine{};
  options.options.simulate->ranks = ranks;
  options.options.simulate->workers_per_rank = workers;
  options.options.seed = seed;
  return options;
}

}  // namespace roam::testing
