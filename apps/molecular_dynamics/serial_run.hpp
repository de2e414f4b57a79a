// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "molecular_dynamics/cell_state.hpp"

namespace md {

/// All cells one after the other, with the same bits as cells that are spread over ranks and
/// exchange messages: what these are held against.
class SerialRun {
 public:
  /// Computes the forces at the beginning.
  explicit SerialRun(const Model& model);
  /// So many steps.
  void run(std::int64_t steps);

  [[nodiscard]] const std::vector<CellState>& cells() const { return cells_; }
  /// Of all cells, after each step so far; the first is of the beginning.
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
