// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/grid.hpp"

namespace sw4 {

/// The supergrid along one direction (Petersson and Sjoegreen, J. Comput. Phys. 299, 2014):
/// distances in a layer shrink smoothly by up to 10,000, so that waves slow down, and dissipation
/// grows from 0 to 1 there, over the shrinkage. The shrinkage that dissipation is divided by is
/// that of the next point inwards: with a point's own, which the last points of a layer have
/// several times smaller than their neighbours, dissipation of strength 0.02 is unstable in thin
/// layers.
struct Supergrid {
  std::vector<double> stretch;
  std::vector<double> damping;
};

/// Of points `first` to `last` of a direction with points 0 to `count` - 1; points behind its ends
/// are as the ends are. `has_lower`: whether there is a layer before point 0, too.
[[nodiscard]] Supergrid make_supergrid(std::int32_t count, std::int32_t layer, bool has_lower,
                                       std::int32_t first, std::int32_t last);

}  // namespace sw4
