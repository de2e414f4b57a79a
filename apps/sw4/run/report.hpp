// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "run/wave.hpp"

namespace sw4 {

/// Prints what both programs measure alike: points, steps, wall clock, points a second.
void print_figures(const Wave& wave, std::int32_t blocks, double seconds);

}  // namespace sw4
