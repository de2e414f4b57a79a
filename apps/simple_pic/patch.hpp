// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simple_pic {

/// Positions in units of 1/65536 of a cell, and velocities in such units per step: additions are
/// exact, so positions do not depend on the order of moves, and moving back restores them.
constexpr std::int64_t units_per_cell = 1 << 16;
/// Speed of all particles in cells per step (Courant number).
constexpr double courant = 0.96;

using Vector = std::array<std::int64_t, 3>;
/// A position or a velocity in these units. Half as large as a Vector: how fast particles move is
/// decided by how many bytes they have.
using Units = std::array<std::int32_t, 3>;
/// The most cells in each direction of which all positions are Units, those of particles one cell
/// outside as well.
constexpr std::int64_t most_cells = (1 << 15) - 2;

struct Particle {
  std::uint64_t id = 0;
  Units at{};
  Units velocity{};
};

/// The problem: a periodic box of cells, and how it is cut into patches. Which particles there are
/// does not depend on the cut. Plain bytes.
struct Box {
  Vector cells{40, 40, 40};    ///< in each direction, up to most_cells
  Vector patches{5, 5, 5};     ///< in each direction, not more than cells
  std::int64_t per_cell = 5;   ///< particles per cell, on average
  bool is_imbalanced = false;  ///< four fifths of the particles in the first fifth of the cells

  /// The first cell of a patch in direction d; patch number patches[d] is the end of the box.
  [[nodiscard]] std::int64_t begin_of(std::size_t d, std::int64_t patch) const {
    return patch * cells[d] / patches[d];
  }
  [[nodiscard]] std::uint64_t particles() const;
  /// The number of the first particle of a cell. Cells are numbered with the last coordinate
  /// varying fastest, and particles by cells.
  [[nodiscard]] std::uint64_t first_id(std::int64_t cell) const;
  /// The initial state of a particle, computed from its number.
  [[nodiscard]] Particle start(std::uint64_t id) const;
  /// The position after that many steps; negative: before.
  [[nodiscard]] Units moved(const Particle& particle, std::int64_t steps) const;

 private:
  [[nodiscard]] std::int64_t dense_cells() const;
};

using Particles = std::vector<Particle>;

/// Sides of a patch: -x, +x, -y, +y, -z, +z.
constexpr std::size_t patch_sides = 6;

/// Particles that have left a patch, by the side through which they left.
struct Migrants {
  std::array<Particles, patch_sides> through;
  [[nodiscard]] std::int64_t count() const;
};

/// The result of checking particles; results can be added.
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
  /// `at`: the patch's coordinates.
  Patch(const Box& box, const Vector& at);
  /// Does one step; `sign` -1: backwards. Returns the particles that have left the patch.
  Migrants move(int sign);
  /// Takes particles that came through a neighbour's side: stores those that belong here and passes
  /// on the others, which move around a corner.
  void take(const Particles& particles, Migrants& others);
  [[nodiscard]] std::size_t size() const { return particles_.size(); }
  /// Compares particles with their expected positions after that many steps.
  [[nodiscard]] Found check(const Box& box, std::int64_t steps) const;
  /// What it owns beyond itself.
  [[nodiscard]] std::size_t memory_bytes() const {
    return particles_.capacity() * sizeof(Particle);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(begin_, end_, length_, particles_);
  }

 private:
  [[nodiscard]] int side_of(const Particle& particle) const;
  void send(Particle particle, int side, Migrants& others) const;

  Units begin_{};  // of the patch
  Units end_{};
  Units length_{};  // of the box
  Particles particles_;
  // Particles that left through each side in the last step: about as many will in the next.
  std::array<std::size_t, patch_sides> last_left_{};
};

}  // namespace simple_pic
