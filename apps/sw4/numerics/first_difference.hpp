// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "numerics/closure.hpp"

namespace sw4 {

inline constexpr double near_factor = 2.0 / 3.0;  ///< of the first derivative inside
inline constexpr double far_factor = 1.0 / 12.0;

/// The first derivative down a column, spacing 1, of four points.
struct FirstDifference {
  std::array<std::int32_t, 4> at{};
  std::array<double, 4> factor{};
};

/// At point `k`, 1 at the surface.
[[nodiscard]] constexpr FirstDifference first_difference_down(std::int32_t k) {
  if (k > 4)
    return {{k - 2, k - 1, k + 1, k + 2}, {far_factor, -near_factor, near_factor, -far_factor}};
  FirstDifference result{{1, 2, 3, 4}, {}};
  std::size_t used = 0;
  for (std::size_t column = 0; column < 6; ++column) {
    const double factor = closure.first[static_cast<std::size_t>(k - 1)][column];
    if (factor == 0.0) continue;
    result.at[used] = static_cast<std::int32_t>(column) + 1;
    result.factor[used++] = factor;
  }
  return result;
}

}  // namespace sw4
