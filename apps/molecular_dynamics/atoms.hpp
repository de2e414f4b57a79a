// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "molecular_dynamics/vec3.hpp"

namespace md {

/// Of mass 1. Travels as bytes.
struct Atom {
  std::int64_t id = 0;
  Vec3 position;
  Vec3 velocity;
};

/// Velocities half a step later, the first and the last part of a step of velocity Verlet (Swope et
/// al. 1982).
void kick(std::span<Atom> atoms, std::span<const Vec3> forces, double half_step);
/// Positions a step later, the part between.
void drift(std::span<Atom> atoms, double step);

[[nodiscard]] double kinetic_energy(std::span<const Atom> atoms);
[[nodiscard]] Vec3 momentum(std::span<const Atom> atoms);
[[nodiscard]] std::vector<Vec3> positions_of(std::span<const Atom> atoms);

/// A sum modulo 2^64 in which every bit of every position and velocity counts, each at its atom's
/// id, so that atoms may come in any order.
[[nodiscard]] std::uint64_t fingerprint(std::span<const Atom> atoms);

}  // namespace md
