// SPDX-License-Identifier: Apache-2.0
#include "shortest_paths.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::topology {

AssignmentSolver::AssignmentSolver(const SparseCosts& costs, const Effort& effort)
    : costs_(costs),
      effort_(effort),
      column_of_(costs.rows(), none),
      row_of_(costs.columns(), none),
      prices_(costs.columns(), 0),
      reached_(costs.columns()) {}

std::vector<std::uint32_t> AssignmentSolver::solve() {
  for (std::uint32_t row = 0; row < costs_.rows(); ++row) free_.push_back(row);
  // After three rounds few rows are left, and a search decides better which of them get the columns
  // that they compete for.
  for (int round = 0; round < 3 && !free_.empty(); ++round) reduce_rows();
  for (const std::uint32_t row : free_) {
    if (settled_in_all_ <= effort_.settled) augment(row);
  }
  return std::move(column_of_);
}

AssignmentSolver::Best AssignmentSolver::best_of(std::uint32_t row) const {
  const auto columns = costs_.columns_of(row);
  const auto costs = costs_.costs_of(row);
  Best best;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::int64_t cost = costs[i] - prices_[columns[i]];
    if (cost < best.cost) {
      best = {columns[i], best.column, cost, best.cost};
    } else if (cost < best.second_cost) {
      best.second_cost = cost;
      best.second_column = columns[i];
    }
  }
  return best;
}

// Augmenting row reduction: each free row takes its best column and raises the price of that column
// until the row's second best would be as good. A row that loses its column is handled at once if
// the price rose, else in the next round.
void AssignmentSolver::reduce_rows() {
  std::vector<std::uint32_t> later;
  std::vector<std::uint32_t> stack(free_.rbegin(), free_.rend());
  // Each step lowers a price or defers a row; the bound prevents small steps from taking long.
  std::size_t steps = effort_.steps_per_row * stack.size() + 64;
  while (!stack.empty()) {
    const std::uint32_t row = stack.back();
    stack.pop_back();
    const Best best = best_of(row);
    if (best.second_column == none || steps == 0) {
      later.push_back(row);
      continue;
    }
    --steps;
    std::uint32_t column = best.column;
    const bool rises = best.cost < best.second_cost;
    if (rises) {
      prices_[column] -= best.second_cost - best.cost;
    } else if (row_of_[column] != none) {
      column = best.second_column;
    }
    const std::uint32_t loser = row_of_[column];
    take(row, column);
    if (loser == none) continue;
    column_of_[loser] = none;
    (rises ? stack : later).push_back(loser);
  }
  free_ = std::move(later);
}

void AssignmentSolver::take(std::uint32_t row, std::uint32_t column) {
  row_of_[column] = row;
  column_of_[row] = column;
}

void AssignmentSolver::relax(std::uint32_t row, std::int64_t distance) {
  const auto columns = costs_.columns_of(row);
  const auto costs = costs_.costs_of(row);
  // The row's own price is what its column costs it; any value will do while it has none.
  const std::uint32_t own = column_of_[row];
  std::int64_t price = own == none ? 0 : infinite;
  for (std::size_t i = 0; own != none && i < columns.size(); ++i) {
    if (columns[i] == own) price = std::min(price, costs[i] - prices_[own]);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint32_t column = columns[i];
    const std::int64_t reached = distance + costs[i] - prices_[column] - price;
    if (reached >= end_distance_) continue;
    Reached& known = reached_[column];
    if (known.search == search_ && known.distance <= reached) continue;
    known = {reached, row, search_};
    if (row_of_[column] == none) {
      end_ = column;
      end_distance_ = reached;
    } else {
      heap_.push_back({reached, column});
      std::push_heap(heap_.begin(), heap_.end());
    }
  }
}

// Dijkstra's search from a free row over alternating paths to the nearest free column. Columns that
// are no nearer than a free column already found are left out.
void AssignmentSolver::augment(std::uint32_t row) {
  ++search_;
  heap_.clear();
  settled_.clear();
  end_ = none;
  end_distance_ = infinite;
  relax(row, 0);
  while (!heap_.empty() && heap_.front().distance < end_distance_) {
    std::pop_heap(heap_.begin(), heap_.end());
    const auto [distance, column] = heap_.back();
    heap_.pop_back();
    // It has been entered again since, at a smaller distance.
    if (distance > reached_[column].distance) continue;
    settled_.push_back(column);
    if (++settled_in_all_ > effort_.settled) return;
    relax(row_of_[column], distance);
  }
  if (end_ == none) {
    throw Error("assignment: no assignment covers all rows; row " + std::to_string(row) +
                " cannot have a column");
  }
  for (const std::uint32_t column : settled_) {
    prices_[column] += reached_[column].distance - end_distance_;
  }
  for (std::uint32_t column = end_; column != none;) {
    const std::uint32_t from = reached_[column].from;
    const std::uint32_t next = column_of_[from];
    take(from, column);
    column = from == row ? none : next;
  }
}

}  // namespace roam::topology
