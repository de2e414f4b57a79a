// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.hpp"

namespace seismic {

/// Operations a second of one core that does nothing but multiply-adds of an instruction set: the
/// best of several tries. Takes some milliseconds.
[[nodiscard]] double measured_peak(InstructionSet set);

/// Prints for each order what a prediction, a correction and a face take on one core, and their
/// shares of the peak, which is measured before and after. Takes some seconds.
void measure_kernels(InstructionSet set);

}  // namespace seismic
