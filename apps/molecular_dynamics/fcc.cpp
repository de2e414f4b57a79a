// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/fcc.hpp"

#include <algorithm>
#include <cmath>

#include "molecular_dynamics/draws.hpp"

namespace md {

namespace {

/// The atoms of a unit cell, in units of half its edge. A quarter is added, so that no atom is on
/// the border of the box.
constexpr std::array<std::array<int, 3>, 4> sites{{{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}};

/// The unit cells along an axis that may have atoms in [lower, upper).
struct Range {
  std::int64_t begin;
  std::int64_t end;
};
Range units_around(double lower, double upper, double edge, std::int64_t units) {
  const auto first = static_cast<std::int64_t>(std::floor(lower / edge)) - 1;
  const auto last = static_cast<std::int64_t>(std::ceil(upper / edge)) + 1;
  return {std::max<std::int64_t>(first, 0), std::min(last, units)};
}

Vec3 velocity_of(std::uint64_t seed, std::int64_t id) {
  // A hash separates the sequences of numbers of different pairs.
  std::uint64_t pair = seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(id / 2);
  pair = (pair ^ (pair >> 30)) * 0xbf58476d1ce4e5b9ULL;
  pair = (pair ^ (pair >> 27)) * 0x94d049bb133111ebULL;
  const Vec3 velocity = Draws(pair ^ (pair >> 31)).normal_vector();
  return id % 2 == 0 ? velocity : -1 * velocity;
}

}  // namespace

double Fcc::unit_edge() const { return std::cbrt(4 / density); }

Vec3 Fcc::box() const {
  const double edge = unit_edge();
  return {static_cast<double>(units[0]) * edge, static_cast<double>(units[1]) * edge,
          static_cast<double>(units[2]) * edge};
}

std::vector<Atom> Fcc::atoms_of(const Grid& grid, const CellIndex& cell) const {
  const double edge = unit_edge();
  std::array<Range, 3> range{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto at = static_cast<double>(cell[d]);
    range[d] = units_around(at * grid.edges[d], (at + 1) * grid.edges[d], edge,
                            d == 0 ? filled : units[d]);
  }
  const auto coordinate = [edge](std::int64_t unit, int half) {
    return (static_cast<double>(unit) + 0.25 + 0.5 * half) * edge;
  };
  std::vector<Atom> atoms;
  for (std::int64_t x = range[0].begin; x < range[0].end; ++x) {
    for (std::int64_t y = range[1].begin; y < range[1].end; ++y) {
      for (std::int64_t z = range[2].begin; z < range[2].end; ++z) {
        for (std::size_t k = 0; k < sites.size(); ++k) {
          Atom atom;
          atom.id = ((x * units[1] + y) * units[2] + z) * 4 + static_cast<std::int64_t>(k);
          atom.position = {coordinate(x, sites[k][0]), coordinate(y, sites[k][1]),
                           coordinate(z, sites[k][2])};
          if (!grid.contains(cell, atom.position)) continue;
          atom.velocity = velocity_of(seed, atom.id);
          atoms.push_back(atom);
        }
      }
    }
  }
  return atoms;  // x, y, z and k are in the order of the ids
}

}  // namespace md
