// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace jacobi {

/// The values along one side of a block, from north to south or from west to east. Empty at the
/// edge of the plate, where the temperature is 0.
using Edge = std::vector<double>;

/// The initial temperature.
[[nodiscard]] inline double start_at(std::int64_t row, std::int64_t column) {
  return std::sin(0.37 * static_cast<double>(row)) + std::cos(0.11 * static_cast<double>(column));
}

/// The new value of a cell. The order of additions determines the last bit.
[[nodiscard]] inline double relaxed(double north, double south, double west, double east) {
  return 0.25 * (((north + south) + west) + east);
}

/// A square of cells, stored by rows.
class Block {
 public:
  Block() = default;
  /// Makes the cells from (row, column) of the plate on.
  Block(std::int64_t row, std::int64_t column, int side);
  [[nodiscard]] Edge north() const { return row(0); }
  [[nodiscard]] Edge south() const { return row(side_ - 1); }
  [[nodiscard]] Edge west() const { return column(0); }
  [[nodiscard]] Edge east() const { return column(side_ - 1); }
  /// Does one step with the values beyond each side; returns the largest change of a cell.
  double relax(const Edge& north, const Edge& south, const Edge& west, const Edge& east);
  /// The sum of the bits of all cells, independent of their order.
  [[nodiscard]] std::uint64_t fingerprint() const;
  [[nodiscard]] double at(int i, int j) const { return cells_[place(i, j)]; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(side_, cells_);
  }

 private:
  [[nodiscard]] std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(side_) +
           static_cast<std::size_t>(j);
  }
  [[nodiscard]] Edge row(int i) const;
  [[nodiscard]] Edge column(int j) const;

  int side_ = 0;
  std::vector<double> cells_;
};

}  // namespace jacobi
