// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/list_cell.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace md {

namespace {

/// The present positions of the chosen atoms and ghosts, moved by `shift` along an axis.
std::vector<Vec3> positions_of_chosen(const std::vector<Vec3>& positions,
                                      const std::vector<std::uint32_t>& chosen, std::size_t axis,
                                      double shift) {
  std::vector<Vec3> result;
  result.reserve(chosen.size());
  for (const std::uint32_t i : chosen) {
    coordinate(result.emplace_back(positions[i]), axis) += shift;
  }
  return result;
}

}  // namespace

double ListModel::velocity_factor(double kinetic) const {
  const auto free = static_cast<double>(3 * start.atoms() - 3);
  return std::sqrt(temperature * free / (2 * kinetic));
}

StepResult operator+(const StepResult& a, const StepResult& b) {
  return {a.potential + b.potential, a.kinetic + b.kinetic,
          std::max(a.moved_squared, b.moved_squared), a.pairs + b.pairs};
}

StepResult sum_of(const StepResult* results, std::size_t count) {
  if (count == 1) return *results;
  const std::size_t first = std::bit_floor(count - 1);
  return sum_of(results, first) + sum_of(results + first, count - first);
}

void ListCell::scale_velocities(double factor) {
  for (Atom& atom : atoms_) atom.velocity = factor * atom.velocity;
}

void ListCell::advance(const ListModel& model) {
  kick(atoms_, forces_, model.step / 2);
  drift(atoms_, model.step);
  for (std::size_t i = 0; i < atoms_.size(); ++i) positions_[i] = atoms_[i].position;
}

double ListCell::moved_squared() const {
  double farthest = 0;
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    const Vec3 moved = atoms_[i].position - listed_[i];
    const double squared = dot(moved, moved);
    if (!(squared <= farthest)) farthest = squared;  // also if it is not a number
  }
  return farthest;
}

Sides<Atom> ListCell::leave(const ListModel& model, std::size_t axis) {
  const double lower = model.grid.lower(index_, axis);
  const double upper = model.grid.upper(index_, axis);
  Sides<Atom> leaving;
  std::size_t kept = 0;
  for (const Atom& atom : atoms_) {
    const double at = coordinate(atom.position, axis);
    if (at >= lower && at < upper) {
      atoms_[kept++] = atom;
      continue;
    }
    const bool is_upper = at >= upper;
    auto& side = is_upper ? leaving.upper : leaving.lower;
    coordinate(side.emplace_back(atom).position, axis) +=
        model.grid.shift_beside(index_, axis, is_upper);
  }
  atoms_.resize(kept);
  return leaving;
}

void ListCell::enter(const Sides<Atom>& come) {
  atoms_.insert(atoms_.end(), come.lower.begin(), come.lower.end());
  atoms_.insert(atoms_.end(), come.upper.begin(), come.upper.end());
}

Sides<Vec3> ListCell::choose_ghosts(const ListModel& model, std::size_t axis) {
  if (axis == 0) {
    std::ranges::sort(atoms_, {}, &Atom::id);
    positions_ = positions_of(atoms_);
    for (std::size_t d = 0; d < 3; ++d) {
      // An atom just below 0 may have been rounded to the upper end of the box.
      const double slack = 1e-9 * model.grid.edges[d];
      for (const Vec3& position : positions_) {
        const double at = coordinate(position, d);
        if (at >= model.grid.lower(index_, d) - slack && at <= model.grid.upper(index_, d) + slack)
          continue;
        throw std::runtime_error("an atom has passed a whole cell in one step; the time step of " +
                                 std::to_string(model.step) + " is too long");
      }
    }
  }
  Channel& channel = channels_[axis];
  channel.lower.clear();
  channel.upper.clear();
  const double lower = model.grid.lower(index_, axis) + model.reach();
  const double upper = model.grid.upper(index_, axis) - model.reach();
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const double at = coordinate(positions_[i], axis);
    if (at < lower) channel.lower.push_back(static_cast<std::uint32_t>(i));
    if (at >= upper) channel.upper.push_back(static_cast<std::uint32_t>(i));
  }
  channel.begin = positions_.size();
  return ghosts(model, axis);
}

Sides<Vec3> ListCell::ghosts(const ListModel& model, std::size_t axis) const {
  const Channel& channel = channels_[axis];
  return {positions_of_chosen(positions_, channel.lower, axis,
                              model.grid.shift_beside(index_, axis, false)),
          positions_of_chosen(positions_, channel.upper, axis,
                              model.grid.shift_beside(index_, axis, true))};
}

void ListCell::take_ghosts(std::size_t axis, const Sides<Vec3>& come) {
  const auto begin = static_cast<std::size_t>(channels_[axis].begin);
  const std::size_t end = begin + come.lower.size() + come.upper.size();
  // Later axes come later: there are no more positions than these if the ghosts are new ones.
  if (positions_.size() < end) positions_.resize(end);
  const auto rest =
      std::ranges::copy(come.lower, positions_.begin() + static_cast<std::ptrdiff_t>(begin)).out;
  std::ranges::copy(come.upper, rest);
}

void ListCell::build_list(const ListModel& model) {
  list_.build(positions_, atoms_.size(), model.reach());
  listed_.assign(positions_.begin(),
                 positions_.begin() + static_cast<std::ptrdiff_t>(atoms_.size()));
}

StepResult ListCell::finish(const ListModel& model) {
  forces_.resize(atoms_.size());
  StepResult result;
  result.potential = list_.compute_forces(model.potential(), positions_, forces_);
  if (has_forces_) kick(atoms_, forces_, model.step / 2);
  has_forces_ = true;
  result.kinetic = kinetic_energy(atoms_);
  result.pairs = list_.pairs();
  return result;
}

std::size_t ListCell::memory_bytes() const {
  std::size_t bytes =
      atoms_.capacity() * sizeof(Atom) +
      (forces_.capacity() + positions_.capacity() + listed_.capacity()) * sizeof(Vec3) +
      list_.memory_bytes();
  for (const Channel& channel : channels_) {
    bytes += (channel.lower.capacity() + channel.upper.capacity()) * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace md
