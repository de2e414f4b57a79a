// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace roam::topology {

/// A row may be assigned to a column at a cost.
struct AssignmentEntry {
  std::uint32_t row;
  std::uint32_t column;
  std::int64_t cost;
};

/// The columns that each row may get, and at what cost, in compressed rows. Of several entries for
/// one pair the cheapest counts.
class SparseCosts {
 public:
  /// Entries in any order. Throws Error if a row or column is out of range or a cost is not within
  /// +-2^60 / rows, where sums could overflow.
  SparseCosts(std::uint32_t rows, std::uint32_t columns, std::span<const AssignmentEntry> entries);

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  [[nodiscard]] std::uint32_t columns() const { return columns_; }
  [[nodiscard]] std::span<const std::uint32_t> columns_of(std::uint32_t row) const {
    return std::span(column_).subspan(begin_[row], begin_[row + 1] - begin_[row]);
  }
  [[nodiscard]] std::span<const std::int64_t> costs_of(std::uint32_t row) const {
    return std::span(cost_).subspan(begin_[row], begin_[row + 1] - begin_[row]);
  }

 private:
  std::uint32_t columns_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> column_;
  std::vector<std::int64_t> cost_;
};

/// Assigns each row to a column of its own so that the sum of costs is least, by shortest
/// augmenting paths over sparse rows (Jonker and Volgenant 1987). Returns the column of each row.
/// Throws Error if no assignment covers all rows. Takes O(rows x entries x log columns) in the
/// worst case, and nearly linear time in the entries if costs differ.
[[nodiscard]] std::vector<std::uint32_t> assign(const SparseCosts& costs);

/// Does the same for a matrix of rows x columns costs, row by row, with rows <= columns. Throws
/// Error for more than `most_dense_rows` rows or columns: beyond that, time and memory call for
/// sparse entries.
[[nodiscard]] std::vector<std::uint32_t> assign_dense(std::uint32_t rows, std::uint32_t columns,
                                                      std::span<const std::int64_t> costs);
inline constexpr std::uint32_t most_dense_rows = 2000;

inline constexpr std::uint32_t most_exact_rows = 10'000;

/// The gain of assigning a row to a column; a pair without an entry gains nothing.
struct AssignmentGain {
  std::uint32_t row;
  std::uint32_t column;
  std::int64_t gain;
};

/// Assigns each of `size` rows to one of as many columns so that the sum of gains is greatest;
/// several entries for one pair add up. Rows left without a gain get the column of their own number
/// if that is free, else any. Beyond `most_exact_rows` rows the search ends after a time that grows
/// with the number of entries, and the sum may be slightly less than the greatest. Throws Error as
/// SparseCosts does, also for a negative gain.
[[nodiscard]] std::vector<std::uint32_t> assign_for_gain(std::uint32_t size,
                                                         std::vector<AssignmentGain> entries);

}  // namespace roam::topology
