// SPDX-License-Identifier: Apache-2.0
#include "cell.hpp"

#include <algorithm>
#include <utility>

#include "computation.hpp"

namespace leanmd {

void Cell::set(const World& world) {
  world_ = world;
  state_ = md::CellState(world_.model, place_);
  forces_ = md::CellForces(world_.model.cells.computations());
}

void Cell::run_to(std::int64_t steps) {
  last_step_ = steps;
  if (is_started_) return advance();
  is_started_ = true;
  send_positions();
}

void Cell::send_positions() {
  const md::Cells& cells = world_.model.cells;
  const std::vector<md::Vec3> positions = md::positions_of(state_.atoms());
  for (std::int64_t k = 0; k < cells.computations(); ++k) {
    world_.computation(place_, k).send<&Computation::take_positions>(false, positions);
    if (k == 0) continue;
    const md::CellIndex owner = cells.owner_of(place_, k);
    world_.computation(owner, k).send<&Computation::take_positions>(true, positions);
  }
}

void Cell::take_own_forces(std::int64_t computation, std::vector<md::Vec3> forces, double energy) {
  forces_.put_own(computation, std::move(forces), energy);
  note_forces();
}

void Cell::take_forces_of_other(std::int64_t computation, std::vector<md::Vec3> forces) {
  forces_.put_other(computation, std::move(forces));
  note_forces();
}

void Cell::note_forces() {
  if (++forces_come_ < forces_.expected()) return;
  forces_come_ = 0;
  state_.finish_step(world_.model, forces_);
  advance();
}

void Cell::advance() {
  if (state_.step() == last_step_) return;
  const double seconds = world_.atom_seconds * static_cast<double>(state_.atoms().size());
  roam::here().compute_if_simulated(roam::from_seconds(seconds));
  state_.begin_step(world_.model);
  if (!state_.migrates(world_.model)) return send_positions();
  send_atoms();
  is_exchanging_ = true;
  end_exchange_if_complete();
}

void Cell::send_atoms() {
  auto leaving = state_.take_leaving(world_.model);
  for (std::size_t n = 0; n < leaving.size(); ++n) {
    if (n == md::Cells::no_direction) continue;
    const auto to = world_.model.cells.beside(place_, md::Cells::direction(n)).index;
    world_.cell(to).send<&Cell::take_atoms>(std::move(leaving[n]));
  }
}

void Cell::take_atoms(const std::vector<md::Atom>& atoms) {
  come_.insert(come_.end(), atoms.begin(), atoms.end());
  ++atoms_from_;
  end_exchange_if_complete();
}

void Cell::end_exchange_if_complete() {
  if (!is_exchanging_ || atoms_from_ < around) return;
  is_exchanging_ = false;
  atoms_from_ = 0;
  state_.add(come_);
  come_.clear();
  send_positions();
}

CellResults Cell::result() const {
  CellResult result;
  result.number = world_.model.cells.number_of(place_);
  result.atoms = static_cast<std::int64_t>(state_.atoms().size());
  result.come_atoms = std::ranges::count_if(state_.atoms(), [&](const md::Atom& atom) {
    return md::Filling::first_cell_of(atom) != result.number;
  });
  result.fingerprint = md::fingerprint(state_.atoms());
  result.momentum = md::momentum(state_.atoms());
  result.energies = state_.energies();
  return {result};
}

}  // namespace leanmd
