// SPDX-License-Identifier: Apache-2.0
#include "parallel/raster.hpp"

#include <algorithm>
#include <cmath>

namespace seismic {

Raster make_raster(const Settings& settings) {
  Raster raster;
  raster.pixel = settings.pixel;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double length = settings.grid.size * settings.grid.count[axis];
    raster.count[axis] =
        std::max(1, static_cast<std::int32_t>(std::ceil(length / raster.pixel - 1e-9)));
  }
  return raster;
}

std::int64_t samples_between(double seconds, double sampling) {
  if (!(seconds > 0.0)) return 0;
  return std::max<std::int64_t>(1, std::llround(seconds / sampling));
}

std::vector<SurfacePixel> surface_pixels(const Raster& raster, const Patch& patch) {
  const RootGrid& grid = patch.mesh().grid;
  std::vector<SurfacePixel> pixels;
  for (CellIndex k = 0; k < patch.own(); ++k) {
    const Cell& cell = patch.mesh().cells[static_cast<std::size_t>(k)];
    if (cell.lower[2] > grid.origin[2] + 1e-9 * cell.size) continue;
    // Pixels whose middles lie in [lower, lower + size): each belongs to one cell.
    std::array<std::int32_t, 2> first{}, end{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const double from = (cell.lower[axis] - grid.origin[axis]) / raster.pixel - 0.5;
      first[axis] = std::max(0, static_cast<std::int32_t>(std::ceil(from - 1e-9)));
      end[axis] =
          std::min(raster.count[axis],
                   static_cast<std::int32_t>(std::ceil(from + cell.size / raster.pixel - 1e-9)));
    }
    for (std::int32_t y = first[1]; y < end[1]; ++y) {
      for (std::int32_t x = first[0]; x < end[0]; ++x) {
        const auto inside = [&](std::int32_t place, std::size_t axis) {
          return (grid.origin[axis] + (place + 0.5) * raster.pixel - cell.lower[axis]) / cell.size;
        };
        pixels.push_back(
            {y * raster.count[0] + x,
             ReceiverPart(patch.basis(), {k, 1.0, {inside(x, 0), inside(y, 1), 0.0}})});
      }
    }
  }
  return pixels;
}

std::vector<float> snapshot_of(const Basis& basis, const double* state) {
  constexpr int points = snapshot_points;
  std::vector<float> values;
  values.reserve(points * points * points * 3);
  const auto at = [](int k) { return static_cast<double>(k) / (points - 1); };
  for (int z = 0; z < points; ++z) {
    for (int y = 0; y < points; ++y) {
      for (int x = 0; x < points; ++x) {
        const ReceiverPart point(basis, {0, 1.0, {at(x), at(y), at(z)}});
        for (const double component : point.velocity(state)) {
          values.push_back(static_cast<float>(component));
        }
      }
    }
  }
  return values;
}

}  // namespace seismic
