// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/serial_run.hpp"

#include <utility>

#include "molecular_dynamics/forces.hpp"

namespace md {

SerialRun::SerialRun(const Model& model) : model_(model), potential_(model.potential()) {
  for (std::int64_t number = 0; number < model_.cells.count(); ++number) {
    cells_.emplace_back(model_, model_.cells.index_of(number));
  }
  compute_forces();
}

void SerialRun::compute_forces() {
  const Cells& grid = model_.cells;
  std::vector<std::vector<Vec3>> positions;
  for (const CellState& cell : cells_) positions.push_back(positions_of(cell.atoms()));
  std::vector<CellForces> forces(cells_.size(), CellForces(grid.computations()));
  for (std::size_t own = 0; own < cells_.size(); ++own) {
    for (std::int64_t k = 0; k < grid.computations(); ++k) {
      std::vector<Vec3> on_own(positions[own].size());
      if (k == 0) {
        const double energy = add_forces_inside(potential_, positions[own], on_own);
        forces[own].put_own(k, std::move(on_own), energy);
        continue;
      }
      const Cells::Neighbour neighbour = grid.other_of(cells_[own].index(), k);
      const auto other = static_cast<std::size_t>(grid.number_of(neighbour.index));
      std::vector<Vec3> on_other(positions[other].size());
      const double energy = add_forces_between(potential_, positions[own], positions[other],
                                               neighbour.shift, on_own, on_other);
      forces[own].put_own(k, std::move(on_own), energy);
      forces[other].put_other(k, std::move(on_other));
    }
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].finish_step(model_, forces[i]);
}

void SerialRun::migrate() {
  std::vector<std::vector<Atom>> come(cells_.size());
  for (CellState& cell : cells_) {
    auto leaving = cell.take_leaving(model_);
    for (std::size_t n = 0; n < leaving.size(); ++n) {
      if (n == Cells::no_direction) continue;
      const auto to = model_.cells.beside(cell.index(), Cells::direction(n)).index;
      auto& there = come[static_cast<std::size_t>(model_.cells.number_of(to))];
      there.insert(there.end(), leaving[n].begin(), leaving[n].end());
    }
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].add(come[i]);
}

void SerialRun::run(std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) {
    for (CellState& cell : cells_) cell.begin_step(model_);
    if (cells_.front().migrates(model_)) migrate();
    compute_forces();
  }
}

std::vector<Energy> SerialRun::energies() const {
  std::vector<Energy> sums(cells_.front().energies().size());
  for (const CellState& cell : cells_) {
    for (std::size_t step = 0; step < sums.size(); ++step) {
      sums[step].potential += cell.energies()[step].potential;
      sums[step].kinetic += cell.energies()[step].kinetic;
    }
  }
  return sums;
}

std::uint64_t SerialRun::fingerprint_of_all() const {
  std::uint64_t sum = 0;
  for (const CellState& cell : cells_) sum += fingerprint(cell.atoms());
  return sum;
}

std::vector<Atom> SerialRun::all_atoms() const {
  std::vector<Atom> atoms;
  for (const CellState& cell : cells_) {
    atoms.insert(atoms.end(), cell.atoms().begin(), cell.atoms().end());
  }
  return atoms;
}

}  // namespace md
