// SPDX-License-Identifier: Apache-2.0
#include "solve/stable_step.hpp"

#include <algorithm>
#include <array>

#include "kernels/layout.hpp"

namespace seismic {

double stable_step_factor(int order, double speed_ratio) {
  constexpr std::array<double, highest_order + 1> without_shear{
      0.0, 0.109, 0.0564, 0.0340, 0.0226, 0.0162, 0.0122, 0.00956, 0.00759, 0.00627};
  const double factor = without_shear[static_cast<std::size_t>(order)];
  if (order == 1) return factor;
  return factor /
         std::max(1.0 - 4.0 / 3.0 * speed_ratio * speed_ratio, (1.0 + 2.0 * speed_ratio) / 3.0);
}

}  // namespace seismic
