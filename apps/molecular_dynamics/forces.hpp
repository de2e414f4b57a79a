// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "molecular_dynamics/lennard_jones.hpp"
#include "molecular_dynamics/vec3.hpp"

namespace md {

/// Adds the forces between the atoms of one cell to `forces`, pair by pair in the order of the
/// atoms, so that they are bitwise the same wherever they are computed. Returns the energy.
double add_forces_inside(const LennardJones& potential, std::span<const Vec3> atoms,
                         std::span<Vec3> forces);

/// Adds the forces between the atoms of two cells, the second ones shifted by a multiple of the
/// box, so that the cells are neighbours. Both may be the same cell, beside its own image.
double add_forces_between(const LennardJones& potential, std::span<const Vec3> atoms,
                          std::span<const Vec3> others, const Vec3& shift_of_others,
                          std::span<Vec3> forces, std::span<Vec3> forces_on_others);

struct Reference {
  std::vector<Vec3> forces;
  double energy = 0;
};
/// Computes all pairs of atoms in a periodic box, with the nearest images: the reference for forces
/// by cells. The cut-off must be at most half of the box. O(atoms^2).
[[nodiscard]] Reference forces_of_all_pairs(const LennardJones& potential,
                                            std::span<const Vec3> atoms, const Vec3& box);

}  // namespace md
