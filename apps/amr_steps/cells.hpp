// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "settings.hpp"

namespace amr_steps {

/// The prediction of one cell: `outputs` numbers made from all of its input, in `seconds` of a
/// worker's time. An offloadable task.
[[nodiscard]] std::vector<double> predict(std::span<const double> input, std::uint32_t outputs,
                                          double seconds);

/// The cells of one rank. Their contents depend on rank and number alone.
class Cells {
 public:
  Cells(const Settings& settings, std::int32_t rank);
  /// As many as the rank has in this step: the last ones go, or new ones come behind them.
  void refine(std::uint32_t step);
  [[nodiscard]] std::size_t size() const { return inputs_.size(); }
  [[nodiscard]] const std::vector<double>& input(std::size_t cell) const { return inputs_[cell]; }
  /// Brings the prediction into the cell; `from_neighbour`: what came across the boundary.
  void correct(std::size_t cell, const std::vector<double>& prediction, double from_neighbour);
  /// What goes across the boundary.
  [[nodiscard]] double rim() const;
  /// Of all that the cells hold, bit by bit.
  [[nodiscard]] std::uint64_t checksum() const;

 private:
  const Settings& settings_;
  const std::int32_t rank_;
  std::vector<std::vector<double>> inputs_;
};

}  // namespace amr_steps
