// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>

#include "molecular_dynamics/cell_state.hpp"

namespace leanmd {

class Cell;
class Computation;
using CellGrid = roam::collection<Cell, 3>;
using ComputationGrid = roam::collection<Computation, 2>;  // cell's number, computation's number

/// Parameters that all objects share.
struct World {
  CellGrid cells;
  ComputationGrid computations;
  md::Model model;
  double pair_seconds = 0;  ///< in virtual time
  double atom_seconds = 0;

  [[nodiscard]] roam::mobile_ptr<Cell> cell(const md::CellIndex& at) const {
    return cells[{at[0], at[1], at[2]}];
  }
  [[nodiscard]] roam::mobile_ptr<Computation> computation(const md::CellIndex& owner,
                                                          std::int64_t number) const {
    return computations[{model.cells.number_of(owner), number}];
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells, computations, model, pair_seconds, atom_seconds);
  }
};

}  // namespace leanmd
