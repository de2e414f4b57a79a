// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace roam::placement {

/// Whether it can be an amount of something: time, bytes, calls.
inline bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

}  // namespace roam::placement
