// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <span>
#include <vector>

#include "settings.hpp"

namespace amr_steps {

/// The prediction of one cell: `outputs` numbers made from all of its input, in `seconds` of a
/// worker's time. An offloadable task.
[[nodiscard]] roam::Array<double> predict(std::span<const double> input, std::uint32_t outputs,
                                          double seconds);

/// The cells of one rank. Their contents depend on rank and number alone.
class Cells {
 public:
  Cells(const Settings& settings, std::int32_t rank);
  /// Adapts the number of cells to this step: the last ones are removed, or new ones are added
  /// behind them.
  void refine(std::uint32_t step);
  [[nodiscard]] std::size_t size() const { return inputs_.size(); }
  [[nodiscard]] const std::vector<double>& input(std::size_t cell) const { return inputs_[cell]; }
  /// Adds a prediction to the cell; `from_neighbour`: the value that came across the boundary.
  void correct(std::size_t cell, std::span<const double> prediction, double from_neighbour);
  /// The value that is sent across the boundary.
  [[nodiscard]] double rim() const;
  /// A checksum over every bit of the cells.
  [[nodiscard]] std::uint64_t checksum() const;

 private:
  const Settings& settings_;
  const std::int32_t rank_;
  std::vector<std::vector<double>> inputs_;
};

}  // namespace amr_steps
