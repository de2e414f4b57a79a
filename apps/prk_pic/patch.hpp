// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "population.hpp"
#include "problem.hpp"

namespace prk_pic {

using Particles = std::vector<Particle>;

/// Particles on their way to other patches in one direction.
struct Migrants {
  Particles low;   ///< to the left, or downwards
  Particles high;  ///< to the right, or upwards
};

/// The result of checking particles; results can be added.
struct Found {
  std::int64_t particles = 0;
  std::int64_t ids = 0;        ///< sum of the numbers
  std::int64_t misplaced = 0;  ///< particles further than 1e-6 cells from the analytic solution
  std::uint64_t bits = 0;      ///< of all positions and velocities, whatever their order
  friend Found operator+(const Found& a, const Found& b) {
    return {a.particles + b.particles, a.ids + b.ids, a.misplaced + b.misplaced, a.bits + b.bits};
  }
  /// Whether each particle is there once, at its place: as many as there must be, no one misplaced,
  /// and the numbers add up.
  [[nodiscard]] bool is_right(const Problem& problem) const;
};

/// A rectangle of the grid: the charges of its mesh points, and its particles. A particle that
/// leaves moves to its patch in one direction after the other, first x, then y.
class Patch {
 public:
  Patch() = default;
  /// With the particles that are there at first. `at`: column and row of the patch.
  Patch(const Problem& problem, const Population& population, std::array<std::int64_t, 2> at);
  /// Moves all particles by one step. Particles that leave the patch in direction `out` are
  /// returned; later directions wait. Throws std::runtime_error if a particle leaves in an earlier
  /// one.
  Migrants move(int out);
  /// Takes particles that come from a neighbour; those that have to go on in direction `out` are
  /// added to `others`, as well as those that have waited for it. Throws as move() does.
  void take(const Particles& particles, int out, Migrants& others);
  /// Compares all particles with the analytic solution after so many steps.
  [[nodiscard]] Found check(const Population& population, std::int64_t steps) const;
  [[nodiscard]] std::size_t size() const { return particles_.size(); }
  /// What it owns beyond itself.
  [[nodiscard]] std::size_t memory_bytes() const {
    return charges_.capacity() * sizeof(double) +
           (particles_.capacity() + waiting_.capacity()) * sizeof(Particle);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(problem_, at_, begin_, end_, charges_, particles_, waiting_);
  }

 private:
  void move_one(Particle& particle) const;
  [[nodiscard]] bool contains(const Particle& particle) const;
  void put(const Particle& particle, int out, Migrants& others);
  void send_waiting(int out, Migrants& others);
  void plant(const Population& population);

  Problem problem_;
  std::array<std::int64_t, 2> at_{};
  std::array<std::int64_t, 2> begin_{};  // the first cell in each direction
  std::array<std::int64_t, 2> end_{};
  std::vector<double> charges_;  // of the mesh points around its cells, by columns, as particles
  Particles particles_;
  Particles waiting_;  // in the right column of patches, but not in the right row
};

}  // namespace prk_pic
