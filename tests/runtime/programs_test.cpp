// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"
#include "collective_programs.hpp"
#include "large_programs.hpp"
#include "memory_programs.hpp"

namespace roam::programs {

INSTANTIATE_TEST_SUITE_P(Jobs, Programs,
                         ::testing::Values(in_process(1, 1), in_process(2, 1), in_process(3, 2),
                                           in_process(4, 2),
                                           in_process(2, 2, ProgressMode::dedicated),
                                           in_process(3, 1, ProgressMode::polling), simulated(1, 1),
                                           simulated(4, 2), simulated(13, 3)),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace roam::programs
