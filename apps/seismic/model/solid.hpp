// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "kernels/material.hpp"

namespace seismic {

/// Whether a material is a stable solid: finite, density and S speed positive, and the P speed
/// above sqrt(4/3) times the S speed.
[[nodiscard]] inline bool is_solid(const Material& m) {
  const bool is_finite =
      std::isfinite(m.density) && std::isfinite(m.p_speed) && std::isfinite(m.s_speed);
  return is_finite && m.density > 0.0 && m.s_speed > 0.0 &&
         m.p_speed > std::sqrt(4.0 / 3.0) * m.s_speed;
}

/// What errors say of a material that is none.
inline constexpr const char* no_solid =
    "no solid: density and speeds must be positive, and the P speed above 1.155 times the S speed";

}  // namespace seismic
