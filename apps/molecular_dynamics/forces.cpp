// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/forces.hpp"

#include <cmath>
#include <cstddef>

namespace md {

namespace {

/// Adds the forces between one atom and those from `first` on; returns the energy.
double add_forces_of(const LennardJones& potential, const Vec3& atom, Vec3& force,
                     std::span<const Vec3> others, std::span<Vec3> forces_on_others) {
  const double reach = potential.cutoff_squared();
  double energy = 0;
  Vec3 sum;
  for (std::size_t k = 0; k < others.size(); ++k) {
    const Vec3 apart = atom - others[k];
    const double squared = dot(apart, apart);
    if (!(squared < reach)) continue;
    const LennardJones::Pair pair = potential.pair(squared);
    const Vec3 push = pair.force_over_distance * apart;
    energy += pair.energy;
    sum += push;
    forces_on_others[k] -= push;
  }
  force += sum;
  return energy;
}

}  // namespace

double add_forces_inside(const LennardJones& potential, std::span<const Vec3> atoms,
                         std::span<Vec3> forces) {
  double energy = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    energy +=
        add_forces_of(potential, atoms[i], forces[i], atoms.subspan(i + 1), forces.subspan(i + 1));
  }
  return energy;
}

double add_forces_between(const LennardJones& potential, std::span<const Vec3> atoms,
                          std::span<const Vec3> others, const Vec3& shift_of_others,
                          std::span<Vec3> forces, std::span<Vec3> forces_on_others) {
  double energy = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    energy +=
        add_forces_of(potential, atoms[i] - shift_of_others, forces[i], others, forces_on_others);
  }
  return energy;
}

Reference forces_of_all_pairs(const LennardJones& potential, std::span<const Vec3> atoms,
                              const Vec3& box) {
  const auto nearest = [](double apart, double length) {
    return apart - length * std::round(apart / length);
  };
  Reference result;
  result.forces.resize(atoms.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t j = i + 1; j < atoms.size(); ++j) {
      Vec3 apart = atoms[i] - atoms[j];
      apart = {nearest(apart.x, box.x), nearest(apart.y, box.y), nearest(apart.z, box.z)};
      const double squared = dot(apart, apart);
      if (!(squared < potential.cutoff_squared())) continue;
      const LennardJones::Pair pair = potential.pair(squared);
      result.energy += pair.energy;
      result.forces[i] += pair.force_over_distance * apart;
      result.forces[j] -= pair.force_over_distance * apart;
    }
  }
  return result;
}

}  // namespace md
