// SPDX-License-Identifier: Apache-2.0
#include "serial.hpp"

#include <vector>

#include "block.hpp"
#include "heat.hpp"

namespace stencil {

std::uint64_t serial_fingerprint(const Settings& settings) {
  const std::int32_t side = settings.blocks * settings.block_side;
  const auto width = static_cast<std::size_t>(side) + 2;
  std::vector<double> cells(width * width, 0.0);
  const auto at = [width](std::int32_t row, std::int32_t column) {
    return static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column);
  };
  for (std::int32_t column = 0; column < side; ++column)
    cells[at(0, column + 1)] = border_value(-1);
  for (std::int32_t row = 0; row < side; ++row) {
    for (std::int32_t column = 0; column < side; ++column) {
      cells[at(row + 1, column + 1)] = first_value(row, column);
    }
  }
  for (std::int32_t step = 0; step < settings.steps; ++step) relax(cells, side);
  std::uint64_t sum = 0;
  for (std::int32_t row = 0; row < side; ++row) {
    for (std::int32_t column = 0; column < side; ++column) {
      sum += fingerprint(row, column, cells[at(row + 1, column + 1)]);
    }
  }
  return sum;
}

}  // namespace stencil
