// SPDX-License-Identifier: Apache-2.0
#include "box.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mini_pic {

namespace {

/// A number in [0, 1) for a number (the finaliser of SplitMix64; Steele, Lea, Flood 2014).
double unit(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/// The orders of the axes along which a path goes from one end of a cube's diagonal to the other;
/// every second one is an odd permutation.
constexpr std::size_t paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0},
                                     {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};

}  // namespace

Vector Box::place_of(std::int32_t part) const {
  const std::int64_t number = part;
  return {number / (parts[1] * parts[2]), number / parts[2] % parts[1], number % parts[2]};
}

std::vector<Vector> Box::cubes_of(std::int32_t part) const {
  const Vector place = place_of(part);
  std::vector<Vector> all;
  for (std::int64_t i = begin_of(0, place[0]); i < begin_of(0, place[0] + 1); ++i)
    for (std::int64_t j = begin_of(1, place[1]); j < begin_of(1, place[1] + 1); ++j)
      for (std::int64_t k = begin_of(2, place[2]); k < begin_of(2, place[2] + 1); ++k)
        all.push_back({i, j, k});
  return all;
}

std::int32_t Box::part_of(const Vector& cube) const {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < 3; ++d)
    number = number * parts[d] + ((cube[d] + 1) * parts[d] - 1) / cubes[d];
  return static_cast<std::int32_t>(number);
}

Vector Box::wrapped(const Vector& cube) const {
  Vector inside{};
  for (std::size_t d = 0; d < 3; ++d) inside[d] = (cube[d] + cubes[d]) % cubes[d];
  return inside;
}

Vector Box::node_position(const Vector& corner) const {
  const auto node = static_cast<std::uint64_t>(number_of(wrapped(corner)));
  Vector position{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double moved = jitter * (2 * unit(3 * node + d) - 1);
    position[d] =
        corner[d] * units_per_cube + std::llround(moved * static_cast<double>(units_per_cube));
  }
  return position;
}

void Box::cut(const Vector& cube, std::vector<Tetrahedron>& all) const {
  for (std::int64_t path = 0; path < 6; ++path) {
    Tetrahedron one;
    one.id = tetrahedron_in(cube) + path;
    one.owner = part_of(cube);
    Vector corner = cube;
    for (std::size_t i = 0; i < 4; ++i) {
      if (i > 0) ++corner[paths[path][i - 1]];
      const Vector node = wrapped(corner);
      one.nodes[i] = number_of(node);
      one.owners[i] = part_of(node);
      one.corners[i] = node_position(corner);
    }
    if (path % 2 != 0) {
      std::swap(one.nodes[1], one.nodes[2]);
      std::swap(one.owners[1], one.owners[2]);
      std::swap(one.corners[1], one.corners[2]);
    }
    all.push_back(one);
  }
}

std::vector<Tetrahedron> Box::tetrahedra_around(std::int32_t part) const {
  std::vector<Vector> around;
  for (const Vector& cube : cubes_of(part))
    for (std::int64_t i = -1; i <= 1; ++i)
      for (std::int64_t j = -1; j <= 1; ++j)
        for (std::int64_t k = -1; k <= 1; ++k)
          around.push_back(wrapped({cube[0] + i, cube[1] + j, cube[2] + k}));
  std::ranges::sort(around);
  around.erase(std::unique(around.begin(), around.end()), around.end());
  std::vector<Tetrahedron> all;
  all.reserve(6 * around.size());
  for (const Vector& cube : around) cut(cube, all);
  return all;
}

}  // namespace mini_pic
