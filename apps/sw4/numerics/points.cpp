// SPDX-License-Identifier: Apache-2.0
#include "numerics/points.hpp"

#include <cmath>

#include "numerics/closure.hpp"
#include "numerics/point_weights.hpp"

namespace sw4 {
namespace {

Extent extent_of(const Grid& grid, const Region& region) {
  return {region.end[0] - region.begin[0], region.end[1] - region.begin[1], grid.points[2]};
}

/// In points of the grid, from 0 along x and y, from 1 down.
Point place_of(const Grid& grid, const Point& position) {
  return {(position[0] - grid.origin[0]) / grid.spacing,
          (position[1] - grid.origin[1]) / grid.spacing, position[2] / grid.spacing + 1.0};
}

}  // namespace

std::vector<PointForce> forces_of(const Grid& grid, const Region& region, std::int32_t source,
                                  const Point& position, const std::array<double, 6>& moment) {
  const Extent extent = extent_of(grid, region);
  const Point place = place_of(grid, position);
  const Weights<6> x = source_weights(place[0], 0, grid.points[0] - 1);
  const Weights<6> y = source_weights(place[1], 0, grid.points[1] - 1);
  const Weights<6> z = source_weights(place[2], 1, grid.points[2]);
  const double h = grid.spacing;
  std::vector<PointForce> forces;
  for (std::size_t c = 0; c < 6; ++c) {
    for (std::size_t b = 0; b < 6; ++b) {
      for (std::size_t a = 0; a < 6; ++a) {
        const std::int32_t i = x.begin + static_cast<std::int32_t>(a) - region.begin[0];
        const std::int32_t j = y.begin + static_cast<std::int32_t>(b) - region.begin[1];
        const std::int32_t k = z.begin + static_cast<std::int32_t>(c);
        if (i < 0 || i >= extent.nx || j < 0 || j >= extent.ny) continue;
        const double norm = k <= 4 ? closure.norm[static_cast<std::size_t>(k - 1)] : 1.0;
        const double scale = 1.0 / (norm * h * h * h * h);
        const double dx = scale * x.slope[a] * y.value[b] * z.value[c];
        const double dy = scale * x.value[a] * y.slope[b] * z.value[c];
        const double dz = scale * x.value[a] * y.value[b] * z.slope[c];
        if (dx == 0.0 && dy == 0.0 && dz == 0.0) continue;
        forces.push_back({extent.at(i, j, k),
                          source,
                          {moment[0] * dx + moment[3] * dy + moment[4] * dz,
                           moment[3] * dx + moment[1] * dy + moment[5] * dz,
                           moment[4] * dx + moment[5] * dy + moment[2] * dz}});
      }
    }
  }
  return forces;
}

std::vector<PatchReceiver> receivers_of(const Grid& grid, const Region& region,
                                        const std::vector<Point>& positions) {
  const Extent extent = extent_of(grid, region);
  std::vector<PatchReceiver> result;
  for (std::size_t r = 0; r < positions.size(); ++r) {
    const Point place = place_of(grid, positions[r]);
    std::array<std::int32_t, 2> owner{};
    bool is_here = true;
    for (std::size_t d = 0; d < 2; ++d) {
      owner[d] = static_cast<std::int32_t>(std::floor(place[d] + 0.5));
      is_here = is_here && owner[d] >= region.begin[d] && owner[d] < region.end[d];
    }
    if (!is_here) continue;
    // Two points on each side of the nearest one are the patch's own or its halo.
    const Weights<5> x = receiver_weights(place[0], -Extent::halo, grid.points[0] + 1);
    const Weights<5> y = receiver_weights(place[1], -Extent::halo, grid.points[1] + 1);
    const Weights<5> z = receiver_weights(place[2], 1, grid.points[2]);
    result.push_back({static_cast<std::int32_t>(r),
                      extent.at(x.begin - region.begin[0], y.begin - region.begin[1], z.begin),
                      {x.value, y.value, z.value}});
  }
  return result;
}

std::array<double, 3> PatchReceiver::read(const Extent& extent, const double* field) const {
  const auto volume = static_cast<std::ptrdiff_t>(extent.volume());
  std::array<double, 3> result{};
  for (std::size_t component = 0; component < 3; ++component) {
    const double* begin = field + volume * static_cast<std::ptrdiff_t>(component) + at;
    for (std::ptrdiff_t c = 0; c < 5; ++c) {
      for (std::ptrdiff_t b = 0; b < 5; ++b) {
        double sum = 0.0;
        for (std::ptrdiff_t a = 0; a < 5; ++a)
          sum += weights[0][static_cast<std::size_t>(a)] *
                 begin[a + extent.row() * b + extent.plane() * c];
        result[component] +=
            weights[1][static_cast<std::size_t>(b)] * weights[2][static_cast<std::size_t>(c)] * sum;
      }
    }
  }
  return result;
}

}  // namespace sw4
