// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "part.hpp"
#include "settings.hpp"

namespace mini_pic {

/// Energies and momentum at the beginning of a step.
struct Energies {
  double field = 0;
  double kinetic = 0;
  double momentum = 0;  ///< its magnitude

  Energies() = default;
  Energies(const Plasma& plasma, const Sums& sums);
};

/// What a run has found.
struct Outcome {
  Found found;
  std::vector<Energies> steps;
  std::int64_t walkers = 0;     ///< particles that have gone from one part to another, in all steps
  int most_rounds = 0;          ///< the most rounds of passing particles on in one step
  bool charge_is_exact = true;  ///< in each step, deposits have added up to all particles' charge
  double seconds = 0;           ///< of the steps
  int ranks = 0;
};

/// A growth rate from the field energy: half the slope of its logarithm, by least squares.
struct Growth {
  double rate = 0;
  double from = 0;  ///< time of the first of the steps that were used
  double to = 0;    ///< and of the last
};

/// The growth rate while the wave is linear: from the time when the field energy is four times the
/// initial wave's until it is a hundredth of the kinetic energy at the beginning. Nothing if it
/// does not get there.
[[nodiscard]] std::optional<Growth> growth_of(const Plasma& plasma,
                                              const std::vector<Energies>& steps);

/// Throws std::runtime_error with the first check that fails. Always: each particle exists once, is
/// in its tetrahedron, and has deposited its charge. Unless Settings::is_checked is false:
/// - the momentum is 0 to within 1e-3 of that of one beam;
/// - the total energy changes by less than 1 % of the kinetic energy at the beginning, while the
///   wave is linear;
/// - the growth rate is that of the dispersion relation to within 5 %, or where the relation has
///   none, the field's energy stays below 10 times the initial wave's.
void check(const Settings& settings, const Outcome& outcome);

/// Prints the results, in lines of a name, two spaces or more and a value.
void print(const Settings& settings, const Outcome& outcome);

}  // namespace mini_pic
