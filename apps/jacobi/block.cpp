// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace jacobi {

namespace {

double beyond(const Edge& edge, int k) {
  return edge.empty() ? 0.0 : edge[static_cast<std::size_t>(k)];
}

}  // namespace

Block::Block(std::int64_t row, std::int64_t column, int side)
    : side_(side), cells_(static_cast<std::size_t>(side) * static_cast<std::size_t>(side)) {
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) cells_[place(i, j)] = start_at(row + i, column + j);
  }
}

Edge Block::row(int i) const {
  return {cells_.begin() + static_cast<std::ptrdiff_t>(place(i, 0)),
          cells_.begin() + static_cast<std::ptrdiff_t>(place(i, 0)) + side_};
}

Edge Block::column(int j) const {
  Edge edge(static_cast<std::size_t>(side_));
  for (int i = 0; i < side_; ++i) edge[static_cast<std::size_t>(i)] = at(i, j);
  return edge;
}

double Block::relax(const Edge& north, const Edge& south, const Edge& west, const Edge& east) {
  std::vector<double> next(cells_.size());
  double change = 0;
  for (int i = 0; i < side_; ++i) {
    for (int j = 0; j < side_; ++j) {
      const double value = relaxed(
          i > 0 ? at(i - 1, j) : beyond(north, j), i + 1 < side_ ? at(i + 1, j) : beyond(south, j),
          j > 0 ? at(i, j - 1) : beyond(west, i), j + 1 < side_ ? at(i, j + 1) : beyond(east, i));
      change = std::max(change, std::abs(value - at(i, j)));
      next[place(i, j)] = value;
    }
  }
  cells_ = std::move(next);
  return change;
}

std::uint64_t Block::fingerprint() const {
  std::uint64_t sum = 0;
  for (const double cell : cells_) {
    std::uint64_t bits = std::bit_cast<std::uint64_t>(cell);
    bits = (bits ^ (bits >> 31)) * 0x7fb5d329728ea185ULL;
    sum += bits ^ (bits >> 27);
  }
  return sum;
}

}  // namespace jacobi
