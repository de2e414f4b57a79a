// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "molecular_dynamics/atoms.hpp"
#include "molecular_dynamics/grid.hpp"

namespace md {

/// A crystal with a face-centred cubic lattice, the usual beginning of simulations of a
/// Lennard-Jones fluid. It fills the box, or the part of it with low x.
struct Fcc {
  std::array<std::int64_t, 3> units{4, 4, 4};  ///< unit cells of four atoms that the box has
  std::int64_t filled = 4;                     ///< unit cells along x that have atoms
  double density = 0.8442;                     ///< atoms in a unit of volume, where there are any
  std::uint64_t seed = 1;                      ///< of the velocities

  /// The edge of a unit cell.
  [[nodiscard]] double unit_edge() const;
  /// The number of atoms in the box.
  [[nodiscard]] std::int64_t atoms() const { return 4 * filled * units[1] * units[2]; }
  /// The lengths of the box.
  [[nodiscard]] Vec3 box() const;

  /// The atoms of a cell, sorted by their ids. Velocities are drawn from a normal distribution of
  /// width 1. The atoms with ids 2 k and 2 k + 1 have opposite ones, so that the momentum is 0.
  /// They depend on the id alone: atoms are the same however the box is divided into cells. `grid`
  /// must have the lengths of box().
  [[nodiscard]] std::vector<Atom> atoms_of(const Grid& grid, const CellIndex& cell) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(units, filled, density, seed);
  }
};

}  // namespace md
