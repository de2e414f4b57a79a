// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/assignment/assign.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "roam/core/error.hpp"
#include "shortest_paths.hpp"

namespace roam::topology {

SparseCosts::SparseCosts(std::uint32_t rows, std::uint32_t columns,
                         std::span<const AssignmentEntry> entries)
    : columns_(columns), begin_(rows + std::size_t{1}) {
  const std::int64_t most = (std::int64_t{1} << 60) / (std::int64_t{rows} + 1);
  for (const AssignmentEntry& entry : entries) {
    if (entry.row >= rows || entry.column >= columns) {
      throw Error("assignment: row " + std::to_string(entry.row) + ", column " +
                  std::to_string(entry.column) + " where there are " + std::to_string(rows) +
                  " rows and " + std::to_string(columns) + " columns");
    }
    if (entry.cost > most || entry.cost < -most) {
      throw Error("assignment: cost " + std::to_string(entry.cost) + " is beyond +-" +
                  std::to_string(most) + "; scale the costs");
    }
    ++begin_[entry.row + std::size_t{1}];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  column_.resize(entries.size());
  cost_.resize(entries.size());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const AssignmentEntry& entry : entries) {
    const std::size_t at = next[entry.row]++;
    column_[at] = entry.column;
    cost_[at] = entry.cost;
  }
}

std::vector<std::uint32_t> assign(const SparseCosts& costs) {
  if (costs.rows() > costs.columns()) {
    throw Error("assignment: " + std::to_string(costs.rows()) +
                " rows cannot have a column each of " + std::to_string(costs.columns()));
  }
  return AssignmentSolver(costs, {}).solve();
}

std::vector<std::uint32_t> assign_dense(std::uint32_t rows, std::uint32_t columns,
                                        std::span<const std::int64_t> costs) {
  if (rows > most_dense_rows || columns > most_dense_rows) {
    throw Error("assignment: a full matrix of " + std::to_string(rows) + " x " +
                std::to_string(columns) + " costs is beyond " + std::to_string(most_dense_rows) +
                "; pass the entries that matter (SparseCosts)");
  }
  if (costs.size() != std::size_t{rows} * columns) {
    throw Error("assignment: " + std::to_string(costs.size()) + " costs for " +
                std::to_string(rows) + " x " + std::to_string(columns));
  }
  std::vector<AssignmentEntry> entries;
  entries.reserve(costs.size());
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      entries.push_back({row, column, costs[std::size_t{row} * columns + column]});
    }
  }
  return assign(SparseCosts(rows, columns, entries));
}

namespace {

void add_up(std::vector<AssignmentGain>& entries) {
  const auto place = [](const AssignmentGain& e) { return std::pair(e.row, e.column); };
  std::ranges::sort(entries, {}, place);
  std::size_t kept = 0;
  for (const AssignmentGain& entry : entries) {
    if (entry.gain < 0) throw Error("assignment: a gain is negative");
    if (kept > 0 && place(entries[kept - 1]) == place(entry)) {
      entries[kept - 1].gain += entry.gain;
    } else {
      entries[kept++] = entry;
    }
  }
  entries.resize(kept);
}

}  // namespace

std::vector<std::uint32_t> assign_for_gain(std::uint32_t size,
                                           std::vector<AssignmentGain> entries) {
  add_up(entries);
  // Column size + r is for row r alone and gains nothing, so that a row may remain without a
  // column.
  std::vector<AssignmentEntry> costs;
  costs.reserve(entries.size() + size);
  for (const AssignmentGain& e : entries) costs.push_back({e.row, e.column, -e.gain});
  for (std::uint32_t row = 0; row < size; ++row) costs.push_back({row, size + row, 0});
  const SparseCosts sparse(size, 2 * size, costs);
  const AssignmentSolver::Effort effort{
      .steps_per_row = size <= most_exact_rows ? 64U : 2U,
      .settled = size <= most_exact_rows ? std::numeric_limits<std::size_t>::max() : size / 2};
  std::vector<std::uint32_t> column = AssignmentSolver(sparse, effort).solve();
  std::vector<bool> is_taken(size);
  for (const std::uint32_t c : column) {
    if (c < size) is_taken[c] = true;
  }
  std::vector<std::uint32_t> left;
  for (std::uint32_t row = 0; row < size; ++row) {
    if (column[row] < size) continue;
    if (is_taken[row]) {
      left.push_back(row);
    } else {
      is_taken[row] = true;
      column[row] = row;
    }
  }
  std::uint32_t free = 0;
  for (const std::uint32_t row : left) {
    while (is_taken[free]) ++free;
    column[row] = free;
    is_taken[free] = true;
  }
  return column;
}

}  // namespace roam::topology
