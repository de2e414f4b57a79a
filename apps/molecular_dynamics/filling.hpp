// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "molecular_dynamics/atoms.hpp"
#include "molecular_dynamics/cells.hpp"

namespace md {

enum class Density {
  uniform,   ///< as many atoms in each cell
  gradient,  ///< increasing along x, from the least in the first cell to the most in the last
  clump      ///< most in the middle of the box, near its borders hardly more than the least
};

/// The initial atoms.
struct Filling {
  Density density = Density::uniform;
  std::int64_t least = 100;  ///< atoms per cell
  std::int64_t most = 100;
  double temperature = 1;
  std::uint64_t seed = 1;

  [[nodiscard]] std::int64_t atoms_in(const Cells& cells, const CellIndex& cell) const;
  /// The initial atoms of a cell, on a cubic lattice, sorted by their ids, which are unique in the
  /// box. Pairs of atoms have opposite velocities, so that the momentum is exactly 0.
  [[nodiscard]] std::vector<Atom> atoms_of(const Cells& cells, const CellIndex& cell) const;

  /// The number of the cell in which an atom was at the beginning.
  [[nodiscard]] static std::int64_t first_cell_of(const Atom& atom);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(density, least, most, temperature, seed);
  }
};

}  // namespace md
