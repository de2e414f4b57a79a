// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "cell.hpp"
#include "settings.hpp"
#include "support/phased_run.hpp"

namespace leanmd {

/// The results for all atoms.
struct Outcome {
  std::int64_t atoms = 0;
  std::int64_t come_atoms = 0;  ///< atoms that are in other cells than at the beginning
  std::uint64_t fingerprint = 0;
  md::Vec3 momentum;
  std::vector<md::Energy> energies;  ///< after each step

  /// The largest deviation of the energy from its initial value, divided by the number of atoms.
  [[nodiscard]] double largest_energy_error() const;
};

/// Adds up the cells' results in the order of the cells, so that they have the same bits wherever
/// these were.
[[nodiscard]] Outcome outcome_of(CellResults results);

/// Throws roam::Error unless momentum is conserved to rounding and, if that is to be checked, the
/// result is bitwise that of a serial computation.
void check(const Settings& settings, const Outcome& outcome);

/// Prints the table, and writes it to settings.json if that is asked for. Throws roam::Error if it
/// cannot.
void report(const Settings& settings, const support::RunFigures& figures, const Outcome& outcome);

}  // namespace leanmd
