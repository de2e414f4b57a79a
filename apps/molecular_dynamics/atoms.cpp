// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/atoms.hpp"

#include <bit>

namespace md {

void kick(std::span<Atom> atoms, std::span<const Vec3> forces, double half_step) {
  for (std::size_t i = 0; i < atoms.size(); ++i) atoms[i].velocity += half_step * forces[i];
}

void drift(std::span<Atom> atoms, double step) {
  for (Atom& atom : atoms) atom.position += step * atom.velocity;
}

double kinetic_energy(std::span<const Atom> atoms) {
  double sum = 0;
  for (const Atom& atom : atoms) sum += dot(atom.velocity, atom.velocity);
  return sum / 2;
}

Vec3 momentum(std::span<const Atom> atoms) {
  Vec3 sum;
  for (const Atom& atom : atoms) sum += atom.velocity;
  return sum;
}

std::vector<Vec3> positions_of(std::span<const Atom> atoms) {
  std::vector<Vec3> positions;
  positions.reserve(atoms.size());
  for (const Atom& atom : atoms) positions.push_back(atom.position);
  return positions;
}

std::uint64_t fingerprint(std::span<const Atom> atoms) {
  std::uint64_t sum = 0;
  for (const Atom& atom : atoms) {
    const double numbers[] = {atom.position.x, atom.position.y, atom.position.z,
                              atom.velocity.x, atom.velocity.y, atom.velocity.z};
    std::uint64_t place = static_cast<std::uint64_t>(atom.id) * 6;
    for (const double number : numbers) {
      sum += std::bit_cast<std::uint64_t>(number) * (2 * place + 1);
      ++place;
    }
  }
  return sum;
}

}  // namespace md
