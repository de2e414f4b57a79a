// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "molecular_dynamics/vec3.hpp"

namespace md {

/// An atom of mass 1. Sent as bytes.
struct Atom {
  std::int64_t id = 0;
  Vec3 position;
  Vec3 velocity;
};

/// Advances velocities by half a step: the first and the last part of a step of velocity Verlet
/// (Swope et al. 1982).
void kick(std::span<Atom> atoms, std::span<const Vec3> forces, double half_step);
/// Advances positions by a step: the part between.
void drift(std::span<Atom> atoms, double step);

[[nodiscard]] double kinetic_energy(std::span<const Atom> atoms);
[[nodiscard]] Vec3 momentum(std::span<const Atom> atoms);
[[nodiscard]] std::vector<Vec3> positions_of(std::span<const Atom> atoms);

/// A sum modulo 2^64 that depends on every bit of every position and velocity and on its atom's id,
/// but not on the order of the atoms.
[[nodiscard]] std::uint64_t fingerprint(std::span<const Atom> atoms);

}  // namespace md
