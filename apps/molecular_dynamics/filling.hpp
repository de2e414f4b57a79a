// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "molecular_dynamics/atoms.hpp"
#include "molecular_dynamics/cells.hpp"

namespace md {

enum class Density {
  uniform,   ///< as many atoms in each cell
  gradient,  ///< more from cell to cell along x, the least in the first and the most in the last
  clump      ///< the most in the middle of the box, hardly any more than the least at its borders
};

/// The atoms at the beginning.
struct Filling {
  Density density = Density::uniform;
  std::int64_t least = 100;  ///< atoms of a cell
  std::int64_t most = 100;
  double temperature = 1;
  std::uint64_t seed = 1;

  [[nodiscard]] std::int64_t atoms_in(const Cells& cells, const CellIndex& cell) const;
  /// On a cubic lattice inside of the cell, in the order of their ids, which no other cell has.
  /// Pairs of atoms have opposite velocities, so that the momentum is exactly 0.
  [[nodiscard]] std::vector<Atom> atoms_of(const Cells& cells, const CellIndex& cell) const;

  /// The number of the cell in which an atom was at the beginning.
  [[nodiscard]] static std::int64_t first_cell_of(const Atom& atom);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(density, least, most, temperature, seed);
  }
};

}  // namespace md
