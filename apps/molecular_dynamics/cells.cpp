// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/cells.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace md {

namespace {

CellIndex sum(const CellIndex& a, const CellIndex& b, std::int64_t sign) {
  return {a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2]};
}

std::array<double, 3> coordinates(const Vec3& v) { return {v.x, v.y, v.z}; }

}  // namespace

Cells::Cells(const CellIndex& extent, double edge, std::int64_t away)
    : extent_(extent), edge_(edge), away_(away) {
  for (std::int64_t x = -away; x <= away; ++x) {
    for (std::int64_t y = -away; y <= away; ++y) {
      for (std::int64_t z = -away; z <= away; ++z) {
        const CellIndex offset{x, y, z};
        if (offset >= CellIndex{}) offsets_.push_back(offset);
      }
    }
  }
}

Vec3 Cells::box() const {
  return {static_cast<double>(extent_[0]) * edge_, static_cast<double>(extent_[1]) * edge_,
          static_cast<double>(extent_[2]) * edge_};
}

std::int64_t Cells::number_of(const CellIndex& index) const {
  return (index[0] * extent_[1] + index[1]) * extent_[2] + index[2];
}

CellIndex Cells::index_of(std::int64_t number) const {
  return {number / (extent_[1] * extent_[2]), number / extent_[2] % extent_[1],
          number % extent_[2]};
}

Cells::Neighbour Cells::wrapped(const CellIndex& index) const {
  Neighbour result;
  std::array<double, 3> shift{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t inside = (index[d] % extent_[d] + extent_[d]) % extent_[d];
    result.index[d] = inside;
    shift[d] = static_cast<double>(index[d] - inside) * edge_;
  }
  result.shift = {shift[0], shift[1], shift[2]};
  return result;
}

Cells::Neighbour Cells::other_of(const CellIndex& cell, std::int64_t computation) const {
  return wrapped(sum(cell, offsets_[static_cast<std::size_t>(computation)], 1));
}

CellIndex Cells::owner_of(const CellIndex& cell, std::int64_t computation) const {
  return wrapped(sum(cell, offsets_[static_cast<std::size_t>(computation)], -1)).index;
}

Cells::Neighbour Cells::beside(const CellIndex& cell, const CellIndex& direction) const {
  return wrapped(sum(cell, direction, 1));
}

CellIndex Cells::direction(std::size_t number) {
  const auto n = static_cast<std::int64_t>(number);
  return {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
}

double Cells::farthest_outside(const CellIndex& cell, const std::vector<Atom>& atoms) const {
  double farthest = 0;
  for (const Atom& atom : atoms) {
    const std::array<double, 3> at = coordinates(atom.position);
    for (std::size_t d = 0; d < 3; ++d) {
      const double lower = static_cast<double>(cell[d]) * edge_;
      farthest = std::max({farthest, lower - at[d], at[d] - (lower + edge_)});
    }
  }
  return farthest;
}

std::array<std::vector<Atom>, 27> Cells::take_leaving(const CellIndex& cell,
                                                      std::vector<Atom>& atoms) const {
  std::array<std::vector<Atom>, 27> leaving;
  std::vector<Atom> staying;
  for (Atom& atom : atoms) {
    const std::array<double, 3> at = coordinates(atom.position);
    std::size_t number = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double lower = static_cast<double>(cell[d]) * edge_;
      const double upper = static_cast<double>(cell[d] + 1) * edge_;
      const std::size_t step = at[d] < lower ? 0 : at[d] < upper ? 1 : 2;
      number = 3 * number + step;
    }
    if (number == no_direction) {
      staying.push_back(atom);
      continue;
    }
    atom.position -= beside(cell, direction(number)).shift;
    leaving[number].push_back(atom);
  }
  atoms = std::move(staying);
  return leaving;
}

}  // namespace md
