// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/list_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "molecular_dynamics/forces.hpp"

namespace md {

namespace {

template <class T>
void pass_among_all(const Grid& grid, std::size_t axis, std::vector<Sides<T>>& sides) {
  std::vector<Sides<T>> come(sides.size());
  for (std::size_t cell = 0; cell < sides.size(); ++cell) {
    const CellIndex index = grid.index_of(static_cast<std::int64_t>(cell));
    const auto lower = static_cast<std::size_t>(grid.number_of(grid.beside(index, axis, false)));
    const auto upper = static_cast<std::size_t>(grid.number_of(grid.beside(index, axis, true)));
    come[lower].upper = std::move(sides[cell].lower);
    come[upper].lower = std::move(sides[cell].upper);
  }
  sides = std::move(come);
}

}  // namespace

void SerialExchange::pass(std::size_t axis, std::vector<Sides<Atom>>& sides) {
  pass_among_all(grid_, axis, sides);
}

void SerialExchange::pass(std::size_t axis, std::vector<Sides<Vec3>>& sides) {
  pass_among_all(grid_, axis, sides);
}

StepResult SerialExchange::sum(const std::vector<StepResult>& of_cells) {
  return sum_of(of_cells.data(), of_cells.size());
}

ListRun::ListRun(const ListModel& model, Exchange& exchange, std::int64_t begin, std::int64_t end)
    : model_(model),
      exchange_(exchange),
      results_(static_cast<std::size_t>(end - begin)),
      atoms_(results_.size()),
      ghosts_(results_.size()) {
  for (std::int64_t number = begin; number < end; ++number) {
    cells_.emplace_back(model, model.grid.index_of(number));
    results_[cells_.size() - 1].kinetic = kinetic_energy(cells_.back().atoms());
  }
  const double factor = model.velocity_factor(exchange.sum(results_).kinetic);
  for (ListCell& cell : cells_) cell.scale_velocities(factor);
  build_lists();
  finish();
}

void ListRun::step() {
  double moved = 0;
  for (ListCell& cell : cells_) {
    cell.advance(model_);
    const double of_cell = cell.moved_squared();
    if (!(of_cell <= moved)) moved = of_cell;
  }
  if (lists_are_old(model_, exchange_.largest(moved))) {
    build_lists();
  } else {
    update_ghosts();
  }
  finish();
}

void ListRun::build_lists() {
  ++list_builds_;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < cells_.size(); ++i) atoms_[i] = cells_[i].leave(model_, axis);
    exchange_.pass(axis, atoms_);
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].enter(atoms_[i]);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < cells_.size(); ++i)
      ghosts_[i] = cells_[i].choose_ghosts(model_, axis);
    exchange_.pass(axis, ghosts_);
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].take_ghosts(axis, ghosts_[i]);
  }
  for (ListCell& cell : cells_) cell.build_list(model_);
}

void ListRun::update_ghosts() {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < cells_.size(); ++i) ghosts_[i] = cells_[i].ghosts(model_, axis);
    exchange_.pass(axis, ghosts_);
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].take_ghosts(axis, ghosts_[i]);
  }
}

void ListRun::finish() {
  for (std::size_t i = 0; i < cells_.size(); ++i) results_[i] = cells_[i].finish(model_);
}

Summary summary_of(const ListCell& cell) {
  return {static_cast<std::int64_t>(cell.atoms().size()), fingerprint(cell.atoms()),
          momentum(cell.atoms())};
}

void Snapshot::add(const Snapshot& other) {
  atoms.insert(atoms.end(), other.atoms.begin(), other.atoms.end());
  forces.insert(forces.end(), other.forces.begin(), other.forces.end());
}

Snapshot snapshot_of(const ListCell& cell) { return {cell.atoms(), cell.forces()}; }

double force_error(const ListModel& model, const Snapshot& snapshot) {
  const Reference all =
      forces_of_all_pairs(model.potential(), positions_of(snapshot.atoms), model.start.box());
  if (all.forces.size() != snapshot.forces.size()) return std::numeric_limits<double>::infinity();
  double largest_error = 0;
  double largest = 0;
  for (std::size_t i = 0; i < all.forces.size(); ++i) {
    const Vec3 error = snapshot.forces[i] - all.forces[i];
    const double size = std::sqrt(dot(error, error));
    if (!(size <= largest_error)) largest_error = size;
    largest = std::max(largest, std::sqrt(dot(all.forces[i], all.forces[i])));
  }
  return largest_error / std::max(largest, 1.0);
}

}  // namespace md
