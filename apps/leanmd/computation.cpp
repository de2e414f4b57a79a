// SPDX-License-Identifier: Apache-2.0
#include "computation.hpp"

#include <utility>

#include "cell.hpp"
#include "molecular_dynamics/forces.hpp"

namespace leanmd {

void Computation::take_positions(bool is_other, std::vector<md::Vec3> positions) {
  positions_[is_other ? 1 : 0] = std::move(positions);
  ++come_;
  if (come_ == (number_ == 0 ? 1 : 2)) compute();
}

void Computation::compute() {
  const md::LennardJones potential = world_.model.potential();
  const md::CellIndex own = world_.model.cells.index_of(cell_);
  auto& [of_own, of_other] = positions_;
  std::vector<md::Vec3> on_own(of_own.size());
  double energy = 0;
  double pairs = 0;
  if (number_ == 0) {
    energy = md::add_forces_inside(potential, of_own, on_own);
    pairs = 0.5 * static_cast<double>(of_own.size()) * static_cast<double>(of_own.size());
  } else {
    const md::Cells::Neighbour other = world_.model.cells.other_of(own, number_);
    std::vector<md::Vec3> on_other(of_other.size());
    energy = md::add_forces_between(potential, of_own, of_other, other.shift, on_own, on_other);
    pairs = static_cast<double>(of_own.size()) * static_cast<double>(of_other.size());
    world_.cell(other.index).send<&Cell::take_forces_of_other>(number_, std::move(on_other));
  }
  world_.cell(own).send<&Cell::take_own_forces>(number_, std::move(on_own), energy);
  roam::here().compute_if_simulated(roam::from_seconds(pairs * world_.pair_seconds));
  come_ = 0;
  of_own.clear();
  of_other.clear();
}

}  // namespace leanmd
