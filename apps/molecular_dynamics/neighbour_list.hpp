// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "molecular_dynamics/lennard_jones.hpp"
#include "molecular_dynamics/vec3.hpp"

namespace md {

/// For each atom of a cell, the atoms that are near enough to act on it as long as none has moved
/// too far (Verlet 1967). Atoms are numbered: first those of the cell, then the *ghosts*, which are
/// copies of atoms of the cells around it. Pairs of own atoms are in the list once; pairs of an own
/// atom and a ghost are in the lists of both cells.
class NeighbourList {
 public:
  /// Finds all pairs that are less than `reach` apart, by means of bins (Hockney and Eastwood
  /// 1981). The first `own` positions are those of the cell. The order of pairs is determined by
  /// positions and their numbers.
  void build(std::span<const Vec3> positions, std::size_t own, double reach);

  /// Computes the forces on the own atoms. `positions` are numbered as at the last build(), and
  /// `forces` has one element for each own atom. Returns the energy of the pairs of own atoms, and
  /// half the energy of those with ghosts: the other half belongs to the ghost's cell.
  double compute_forces(const LennardJones& potential, std::span<const Vec3> positions,
                        std::span<Vec3> forces) const;

  /// The number of pairs in the list.
  [[nodiscard]] std::size_t pairs() const { return others_.size(); }

  /// The memory that the list owns, in bytes.
  [[nodiscard]] std::size_t memory_bytes() const {
    return rows_.capacity() * sizeof(Row) + others_.capacity() * sizeof(std::uint32_t);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows_, others_);
  }

 private:
  /// Of the list of an atom: where in `others_` it begins, and where the ghosts in it begin.
  struct Row {
    std::uint32_t begin = 0;
    std::uint32_t ghosts = 0;
  };
  std::vector<Row> rows_;  // one for each own atom, and one for the end
  std::vector<std::uint32_t> others_;
};

}  // namespace md
