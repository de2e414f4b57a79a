// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

namespace md {

/// The treatment of the potential at the cut-off.
enum class Truncation {
  plain,         ///< truncated, with a jump
  shifted_force  ///< a linear term brings potential and force to 0
};

/// The potential of Lennard-Jones, 4 (r^-12 - r^-6), between two atoms, in reduced units: lengths
/// in sigma, energies in epsilon. With a shifted force: u(r) - u(c) - (r - c) u'(c) up to the
/// cut-off c (Allen and Tildesley, Computer Simulation of Liquids, 1987, section 5.2.3).
class LennardJones {
 public:
  LennardJones(double cutoff, Truncation truncation);

  struct Pair {
    double energy = 0;
    double force_over_distance = 0;  ///< force, divided by the distance; positive: repulsion
  };
  /// The interaction at a squared distance, which must be below cutoff_squared().
  [[nodiscard]] Pair pair(double distance_squared) const {
    const double inverse = 1 / distance_squared;
    const double sixth = inverse * inverse * inverse;
    const double distance = std::sqrt(distance_squared);
    return {4 * (sixth * sixth - sixth) - shift_ + slope_ * distance,
            24 * (2 * sixth * sixth - sixth) * inverse - slope_ / distance};
  }

  [[nodiscard]] double cutoff() const { return cutoff_; }
  [[nodiscard]] double cutoff_squared() const { return cutoff_ * cutoff_; }

  /// The energy that plain truncation leaves out, for atoms spread evenly beyond the cut-off: N^2 /
  /// V x 8 pi / 9 x (c^-9 - 3 c^-3).
  [[nodiscard]] double tail_energy(std::size_t atoms, double volume) const;

 private:
  double cutoff_;
  double shift_;  // added to the energy
  double slope_;  // slope of the linear term: the force at the cut-off
};

}  // namespace md
