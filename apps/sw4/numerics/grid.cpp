// SPDX-License-Identifier: Apache-2.0
#include "numerics/grid.hpp"

namespace sw4 {

bool Grid::has_inside(const Point& point) const {
  const double out = spacing * layer;
  for (std::size_t d = 0; d < 3; ++d) {
    const double first = d < 2 ? origin[d] : 0.0;
    const double last = first + spacing * (points[d] - 1) - out;
    if (!(point[d] >= (d < 2 ? first + out : first) && point[d] <= last)) return false;
  }
  return true;
}

Region region_of(const Grid& grid, const std::array<std::int32_t, 2>& blocks, std::int32_t x,
                 std::int32_t y) {
  const std::array<std::int32_t, 2> place{x, y};
  Region region;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto begin = [&](std::int64_t block) {
      return static_cast<std::int32_t>(block * grid.points[d] / blocks[d]);
    };
    region.begin[d] = begin(place[d]);
    region.end[d] = begin(place[d] + 1);
  }
  return region;
}

std::array<std::int32_t, 2> cut_of(const Grid& grid, std::int32_t count) {
  std::array<std::int32_t, 2> best{1, count};
  std::int64_t shortest = -1;
  for (std::int32_t x = 1; x <= count; ++x) {
    if (count % x != 0) continue;
    const std::int32_t y = count / x;
    const std::int64_t length = static_cast<std::int64_t>(x - 1) * grid.points[1] +
                                static_cast<std::int64_t>(y - 1) * grid.points[0];
    if (shortest < 0 || length < shortest) {
      shortest = length;
      best = {x, y};
    }
  }
  return best;
}

}  // namespace sw4
