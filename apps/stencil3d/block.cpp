// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <utility>

namespace stencil3d {

namespace {

/// Calls visit(cell) for each cell of a layer perpendicular to `direction`, at `position`.
template <class SomeBox, class Visit>
void for_each_of_layer(SomeBox& box, std::size_t direction, std::int64_t position, Visit&& visit) {
  const std::size_t slow = direction == 0 ? 1 : 0;
  const std::size_t fast = direction == 2 ? 1 : 2;
  Triple at{};
  at[direction] = position;
  for (at[slow] = 0; at[slow] < box.size[slow]; ++at[slow]) {
    for (at[fast] = 0; at[fast] < box.size[fast]; ++at[fast]) visit(box.at(at[0], at[1], at[2]));
  }
}

}  // namespace

Triple Block::origin() const {
  const Place blocks = work_.grid.extent();
  Triple first{};
  for (int d = 0; d < 3; ++d) {
    const auto k = static_cast<std::size_t>(d);
    first[k] = place_[d] * work_.mode.grid[k] / blocks[d];
  }
  return first;
}

Triple Block::size() const {
  const Place blocks = work_.grid.extent();
  const Triple first = origin();
  Triple size{};
  for (int d = 0; d < 3; ++d) {
    const auto k = static_cast<std::size_t>(d);
    size[k] = (place_[d] + 1) * work_.mode.grid[k] / blocks[d] - first[k];
  }
  return size;
}

void Block::set(const Work& work) {
  work_ = work;
  cells_ = Box(size());
  fill(cells_, origin(), work_.mode);
}

void Block::run_to(std::int64_t steps) {
  last_step_ = steps;
  send_faces();
}

void Block::send_faces() {
  const Place blocks = work_.grid.extent();
  for (std::int32_t face = 0; face < faces; ++face) {
    const int direction = face / 2;
    const auto d = static_cast<std::size_t>(direction);
    const bool is_upper = face % 2 == 1;
    Place neighbour = place_;
    neighbour[direction] =
        (place_[direction] + (is_upper ? 1 : -1) + blocks[direction]) % blocks[direction];
    std::vector<double> cells;
    for_each_of_layer(std::as_const(cells_), d, is_upper ? cells_.size[d] - 1 : 0,
                      [&cells](double cell) { cells.push_back(cell); });
    const std::int32_t opposite = face ^ 1;
    work_.grid[neighbour].send<&Block::take>(step_, opposite, std::move(cells));
  }
}

void Block::take(std::int64_t step, std::int32_t face, std::vector<double> cells) {
  const auto parity = static_cast<std::size_t>(step % 2);
  come_cells_[parity][static_cast<std::size_t>(face)] = std::move(cells);
  ++come_[parity];
  step_if_complete();
}

void Block::step_if_complete() {
  // The faces needed for a later step come by messages, which may be here already.
  while (step_ < last_step_ && come_[static_cast<std::size_t>(step_ % 2)] == faces) {
    step();
    if (step_ < last_step_) send_faces();
  }
}

std::int32_t Block::sweeps() const {
  if (!work_.is_uneven) return work_.repeat;
  const Place blocks = work_.grid.extent();
  const std::int64_t count = blocks[0] * blocks[1] * blocks[2];
  const std::int64_t number = (place_[0] * blocks[1] + place_[1]) * blocks[2] + place_[2];
  if (5 * number < count || 5 * number >= 4 * count) return work_.repeat;
  return static_cast<std::int32_t>(100 * number / count + 5 * (step_ / 30 + 1));
}

void Block::step() {
  const auto parity = static_cast<std::size_t>(step_ % 2);
  for (std::int32_t face = 0; face < faces; ++face) {
    const auto d = static_cast<std::size_t>(face / 2);
    std::vector<double>& come = come_cells_[parity][static_cast<std::size_t>(face)];
    std::size_t next = 0;
    for_each_of_layer(cells_, d, face % 2 == 1 ? cells_.size[d] : -1,
                      [&](double& cell) { cell = come[next++]; });
    come.clear();
  }
  come_[parity] = 0;
  Box after(cells_.size);
  const std::int32_t wanted = sweeps();
  const bool is_simulated = roam::here().options().simulate.has_value();
  for (std::int32_t i = 0; i < (is_simulated ? 1 : wanted); ++i) sweep(cells_, after);
  std::swap(cells_, after);
  const auto cells = static_cast<double>(cells_.size[0] * cells_.size[1] * cells_.size[2]);
  roam::here().compute_if_simulated(roam::from_seconds(work_.cell_seconds * cells * wanted));
  ++step_;
}

Outcome Block::outcome() const { return outcome_of(cells_, origin(), work_.mode, step_); }

}  // namespace stencil3d
