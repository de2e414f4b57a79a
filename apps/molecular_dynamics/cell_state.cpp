// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/cell_state.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace md {

std::vector<Vec3> CellForces::take_sum(std::size_t atoms, double& energy) {
  std::vector<Vec3> sum(atoms);
  energy = 0;
  for (Part& part : parts_) {
    for (std::size_t i = 0; i < atoms; ++i) sum[i] += part.forces[i];
    energy += part.energy;
    part = {};
  }
  return sum;
}

void CellState::finish_step(const Model& model, CellForces& forces) {
  Energy energy;
  forces_ = forces.take_sum(atoms_.size(), energy.potential);
  if (step_ > 0) kick(atoms_, forces_, model.step / 2);
  energy.kinetic = kinetic_energy(atoms_);
  energies_.push_back(energy);
}

void CellState::begin_step(const Model& model) {
  kick(atoms_, forces_, model.step / 2);
  drift(atoms_, model.step);
  ++step_;
  const double outside = model.cells.farthest_outside(index_, atoms_);
  const double room = model.cells.space_around(model.cutoff);
  if (outside <= room) return;
  throw std::runtime_error("an atom is " + std::to_string(outside) +
                           " outside of its cell, and pairs within the cut-off are found up to " +
                           std::to_string(room) +
                           "; shorter steps or more frequent migration help");
}

void CellState::add(const std::vector<Atom>& come) {
  atoms_.insert(atoms_.end(), come.begin(), come.end());
  std::ranges::sort(atoms_, {}, &Atom::id);
}

}  // namespace md
