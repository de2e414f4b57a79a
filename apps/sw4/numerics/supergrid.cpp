// SPDX-License-Identifier: Apache-2.0
#include "numerics/supergrid.hpp"

#include <algorithm>

namespace sw4 {
namespace {

constexpr double smallest_stretch = 1e-4;

/// From 0 at 0 to 1 at 1, with five derivatives that vanish at both.
double smooth_step(double x) {
  const double polynomial =
      462.0 + x * (-1980.0 + x * (3465.0 + x * (-3080.0 + x * (1386.0 - 252.0 * x))));
  return x * x * x * (x * x * x) * polynomial;
}

double step_at(std::int32_t depth, std::int32_t layer) {
  return layer == 0 ? 0.0 : smooth_step(static_cast<double>(std::max(depth, 0)) / (layer + 1));
}
double stretch_at(std::int32_t depth, std::int32_t layer) {
  return 1.0 - (1.0 - smallest_stretch) * step_at(depth, layer);
}

}  // namespace

Supergrid make_supergrid(std::int32_t count, std::int32_t layer, bool has_lower, std::int32_t first,
                         std::int32_t last) {
  Supergrid result;
  for (std::int32_t point = first; point <= last; ++point) {
    std::int32_t from_end = count - point;  // the point at rest behind the end is 0 from it
    if (has_lower) from_end = std::min(from_end, point + 1);
    const std::int32_t depth = std::clamp(layer + 1 - from_end, 0, layer + 1);
    result.stretch.push_back(stretch_at(depth, layer));
    result.damping.push_back(step_at(depth, layer) / stretch_at(depth - 1, layer));
  }
  return result;
}

}  // namespace sw4
