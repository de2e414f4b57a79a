// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "roam/topology/detail/assignment/assign.hpp"

namespace roam::topology {

/// One run of the solver. `prices_` are the dual values of columns: never above 0, and 0 for
/// columns that no row has, which makes an assignment optimal that leaves columns free.
class AssignmentSolver {
 public:
  /// How much work may be spent on a solution: the steps of row reduction for each row, and the
  /// number of columns that all searches together may settle.
  struct Effort {
    std::size_t steps_per_row = 64;
    std::size_t settled = std::numeric_limits<std::size_t>::max();
  };
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  AssignmentSolver(const SparseCosts& costs, const Effort& effort);
  /// Returns the column of each row, and `none` if the effort did not suffice. Throws Error if a
  /// row can have no column.
  [[nodiscard]] std::vector<std::uint32_t> solve();

 private:
  static constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();

  /// The two columns of a row with the least cost minus price.
  struct Best {
    std::uint32_t column = none;
    std::uint32_t second_column = none;
    std::int64_t cost = infinite;
    std::int64_t second_cost = infinite;
  };
  [[nodiscard]] Best best_of(std::uint32_t row) const;
  void reduce_rows();
  void augment(std::uint32_t row);
  /// Examines the columns of `row`, which was reached at `distance`.
  void relax(std::uint32_t row, std::int64_t distance);
  void take(std::uint32_t row, std::uint32_t column);

  const SparseCosts& costs_;
  const Effort effort_;
  std::size_t settled_in_all_ = 0;
  std::vector<std::uint32_t> column_of_;
  std::vector<std::uint32_t> row_of_;
  std::vector<std::int64_t> prices_;
  std::vector<std::uint32_t> free_;
  // State of the search for one row; entries of earlier searches are recognised by their number.
  struct Reached {
    std::int64_t distance = 0;
    std::uint32_t from = none;
    std::uint32_t search = 0;
  };
  std::vector<Reached> reached_;
  std::vector<std::uint32_t> settled_;
  struct Entry {
    std::int64_t distance;
    std::uint32_t column;
    /// True if the other one is to be settled first. Written out, since pairs compare slowly.
    [[nodiscard]] bool operator<(const Entry& other) const {
      return distance != other.distance ? distance > other.distance : column > other.column;
    }
  };
  std::vector<Entry> heap_;
  std::uint32_t search_ = 0;
  std::uint32_t end_ = none;  ///< nearest free column
  std::int64_t end_distance_ = infinite;
};

}  // namespace roam::topology
