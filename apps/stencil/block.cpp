// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <bit>
#include <utility>

#include "heat.hpp"

namespace stencil {

double first_value(std::int64_t row, std::int64_t column) {
  return static_cast<double>((row * 7 + column * 13) % 32) / 64;
}

double border_value(std::int64_t row) { return row < 0 ? 1.0 : 0.0; }

std::uint64_t fingerprint(std::int64_t row, std::int64_t column, double value) {
  const auto place = static_cast<std::uint64_t>(row * 1'000'003 + column);
  return std::bit_cast<std::uint64_t>(value) * (2 * place + 1);
}

double& Block::edge_cell(std::int32_t edge, std::int32_t k, bool is_inside) {
  const std::int32_t first = is_inside ? 1 : 0;
  const std::int32_t last = is_inside ? side_ : side_ + 1;
  switch (edge) {
    case 0:
      return cell(first, k + 1);
    case 1:
      return cell(last, k + 1);
    case 2:
      return cell(k + 1, first);
    default:
      return cell(k + 1, last);
  }
}

bool Block::has_neighbour(std::int32_t edge) const {
  switch (edge) {
    case 0:
      return place_[0] > 0;
    case 1:
      return place_[0] + 1 < blocks_;
    case 2:
      return place_[1] > 0;
    default:
      return place_[1] + 1 < blocks_;
  }
}

void Block::start(Grid grid, std::int32_t blocks, std::int32_t side, std::int32_t steps,
                  double cell_seconds) {
  grid_ = grid;
  blocks_ = blocks;
  side_ = side;
  steps_ = steps;
  cell_seconds_ = cell_seconds;
  const auto width = static_cast<std::size_t>(side + 2);
  cells_.assign(width * width, 0.0);
  const std::int64_t top = std::int64_t{side} * place_[0];
  const std::int64_t left = std::int64_t{side} * place_[1];
  for (std::int32_t row = 0; row < side; ++row) {
    for (std::int32_t column = 0; column < side; ++column) {
      cell(row + 1, column + 1) = first_value(top + row, left + column);
    }
  }
  for (std::int32_t k = 0; k < side; ++k) {
    if (!has_neighbour(0)) edge_cell(0, k, false) = border_value(-1);
  }
  send_edges();
  step_if_complete();
}

void Block::send_edges() {
  const std::array<Place, edges> neighbours{
      Place{place_[0] - 1, place_[1]}, Place{place_[0] + 1, place_[1]},
      Place{place_[0], place_[1] - 1}, Place{place_[0], place_[1] + 1}};
  for (std::int32_t edge = 0; edge < edges; ++edge) {
    if (!has_neighbour(edge)) continue;
    std::vector<double> cells(static_cast<std::size_t>(side_));
    for (std::int32_t k = 0; k < side_; ++k) {
      cells[static_cast<std::size_t>(k)] = edge_cell(edge, k, true);
    }
    const std::int32_t opposite = edge ^ 1;
    grid_[neighbours[static_cast<std::size_t>(edge)]].send<&Block::take>(step_, opposite,
                                                                         std::move(cells));
  }
}

void Block::take(std::int32_t step, std::int32_t edge, std::vector<double> cells) {
  const auto parity = static_cast<std::size_t>(step % 2);
  margins_[parity][static_cast<std::size_t>(edge)] = std::move(cells);
  ++come_[parity];
  step_if_complete();
}

void Block::step_if_complete() {
  std::int32_t expected = 0;
  for (std::int32_t edge = 0; edge < edges; ++edge) expected += has_neighbour(edge) ? 1 : 0;
  while (step_ < steps_ && come_[static_cast<std::size_t>(step_ % 2)] == expected) {
    step();
    if (step_ < steps_) send_edges();
    if (expected == 0) continue;
    break;  // the edges needed for the next step come by messages
  }
}

void Block::step() {
  const auto parity = static_cast<std::size_t>(step_ % 2);
  for (std::int32_t edge = 0; edge < edges; ++edge) {
    const std::vector<double>& margin = margins_[parity][static_cast<std::size_t>(edge)];
    for (std::size_t k = 0; k < margin.size(); ++k) {
      edge_cell(edge, static_cast<std::int32_t>(k), false) = margin[k];
    }
  }
  come_[parity] = 0;
  relax(cells_, side_);
  if (cell_seconds_ > 0) {
    roam::here().compute(roam::from_seconds(cell_seconds_ * side_ * side_));
  }
  ++step_;
}

std::uint64_t Block::fingerprint_of_all() {
  std::uint64_t sum = 0;
  const std::int64_t top = std::int64_t{side_} * place_[0];
  const std::int64_t left = std::int64_t{side_} * place_[1];
  for (std::int32_t row = 0; row < side_; ++row) {
    for (std::int32_t column = 0; column < side_; ++column) {
      sum += fingerprint(top + row, left + column, cell(row + 1, column + 1));
    }
  }
  return sum;
}

}  // namespace stencil
