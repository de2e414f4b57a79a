// SPDX-License-Identifier: Apache-2.0
#include "numerics/surface.hpp"

#include <array>

#include "numerics/first_difference.hpp"

namespace sw4 {
namespace {

double first(const double* at, std::ptrdiff_t step) {
  return near_factor * (at[step] - at[-step]) - far_factor * (at[2 * step] - at[-2 * step]);
}

/// The ghost value with which the derivative down is `slope`; `at`: the ghost point.
double ghost(const double* at, std::ptrdiff_t plane, double slope) {
  double rest = 0.0;
  for (std::ptrdiff_t k = 1; k <= 4; ++k)
    rest += closure.surface[static_cast<std::size_t>(k)] * at[k * plane];
  return (slope - rest) / closure.surface[0];
}

}  // namespace

void free_surface(const Medium& medium, double* field) {
  const Extent& extent = medium.extent;
  const auto volume = static_cast<std::ptrdiff_t>(extent.volume());
  const std::ptrdiff_t row = extent.row();
  const std::ptrdiff_t plane = extent.plane();
  double* u = field;
  double* v = field + volume;
  double* w = field + 2 * volume;
  for (std::int32_t j = 0; j < extent.ny; ++j) {
    const double stretch_y = medium.stretch_y[j + Extent::halo];
    for (std::int32_t i = 0; i < extent.nx; ++i) {
      const std::ptrdiff_t at = extent.at(i, j, 0);
      const std::ptrdiff_t top = at + plane;
      const double stretch_x = medium.stretch_x[i + Extent::halo];
      const double lambda = medium.lambda[top];
      const double ratio = lambda / (lambda + 2.0 * medium.mu[top]);
      const double spread = stretch_x * first(u + top, 1) + stretch_y * first(v + top, row);
      u[at] = ghost(u + at, plane, -stretch_x * first(w + top, 1));
      v[at] = ghost(v + at, plane, -stretch_y * first(w + top, row));
      w[at] = ghost(w + at, plane, -ratio * spread);
    }
  }
}

}  // namespace sw4
