// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roam::offload {

/// An average over recent tasks, in which the newest has a weight of 0.1 (equation 2 of the paper
/// with omega 0.9). `average`: 0 before the first one.
[[nodiscard]] inline double averaged(double average, double newest) {
  constexpr double newest_weight = 0.1;
  return average <= 0 ? newest : average + newest_weight * (newest - average);
}

}  // namespace roam::offload
