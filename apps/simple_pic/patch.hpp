// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <roam/roam.hpp>
#include <vector>

namespace simple_pic {

/// Places and velocities in 1/65536 of a cell, and of a cell per step: adding them is exact, so
/// where a particle is does not depend on who moves it, and moving it back brings it back.
constexpr std::int64_t units_per_cell = 1 << 16;
/// All particles are equally fast: so many cells per step (Courant number).
constexpr double courant = 0.96;

using Vector = std::array<std::int64_t, 3>;

struct Particle {
  std::uint64_t id = 0;
  Vector at{};
  Vector velocity{};
};

/// The problem: a periodic box of patches x patches x patches patches. Plain bytes.
struct Box {
  std::int64_t patches = 5;    ///< each way
  std::int64_t cells = 8;      ///< of a patch, each way
  std::int64_t per_cell = 5;   ///< particles, on average
  bool is_imbalanced = false;  ///< four fifths of the particles in one fifth of the patches

  [[nodiscard]] std::int64_t side() const { return cells * units_per_cell; }  ///< of a patch
  [[nodiscard]] std::int64_t length() const { return patches * side(); }
  [[nodiscard]] std::uint64_t particles() const { return first_id(patches * patches * patches); }
  /// Particles that are in a patch at the beginning, numbered from first_id() on. Patches are
  /// numbered with the last coordinate fastest.
  [[nodiscard]] std::uint64_t count(std::int64_t patch) const;
  [[nodiscard]] std::uint64_t first_id(std::int64_t patch) const;
  /// A particle at the beginning: by its number alone.
  [[nodiscard]] Particle start(std::uint64_t id) const;
  /// The place after so many steps; negative: before.
  [[nodiscard]] Vector moved(const Particle& particle, std::int64_t steps) const;

 private:
  [[nodiscard]] std::int64_t dense_patches() const;
  [[nodiscard]] std::uint64_t mean() const;
};

/// Particles that have left a patch, by the side through which: -x, +x, -y, +y, -z, +z.
struct Migrants {
  std::array<std::vector<Particle>, 6> through;
  [[nodiscard]] std::int64_t count() const;
  template <class Archive>
  void serialize(Archive& archive) {
    for (auto& particles : through) archive(particles);
  }
};

/// What a check of all particles finds; sums of such.
struct Found {
  std::uint64_t particles = 0;
  std::uint64_t ids = 0;
  std::uint64_t misplaced = 0;
  friend Found operator+(const Found& a, const Found& b) {
    return {a.particles + b.particles, a.ids + b.ids, a.misplaced + b.misplaced};
  }
};

/// The particles of one patch.
class Patch {
 public:
  Patch() = default;
  Patch(const Box& box, roam::Index<3> at);
  /// One step; `sign` -1: back. Gives the particles that are elsewhere now.
  Migrants move(const Box& box, roam::Index<3> at, int sign);
  /// Those that came through a neighbour's side: keeps its own and passes on the others, which go
  /// round a corner.
  void take(const std::vector<Particle>& particles, const Box& box, roam::Index<3> at,
            Migrants& others);
  [[nodiscard]] std::size_t size() const { return particles_.size(); }
  /// Compares with where particles are after so many steps.
  [[nodiscard]] Found check(const Box& box, roam::Index<3> at, std::int64_t steps) const;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(particles_);
  }

 private:
  std::vector<Particle> particles_;
};

}  // namespace simple_pic
