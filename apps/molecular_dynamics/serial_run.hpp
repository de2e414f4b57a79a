// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "molecular_dynamics/cell_state.hpp"

namespace md {

/// Computes all cells one after the other; the reference for cells spread over ranks, with bitwise
/// the same result.
class SerialRun {
 public:
  /// Computes the initial forces.
  explicit SerialRun(const Model& model);
  /// Does that many steps.
  void run(std::int64_t steps);

  [[nodiscard]] const std::vector<CellState>& cells() const { return cells_; }
  /// The energies of all cells after each step so far, beginning with the initial ones.
  [[nodiscard]] std::vector<Energy> energies() const;
  [[nodiscard]] std::uint64_t fingerprint_of_all() const;
  [[nodiscard]] std::vector<Atom> all_atoms() const;

 private:
  void compute_forces();
  void migrate();

  Model model_;
  LennardJones potential_;
  std::vector<CellState> cells_;
};

}  // namespace md
