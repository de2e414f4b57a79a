// SPDX-License-Identifier: Apache-2.0
#include "heat.hpp"

namespace stencil {

void relax(std::vector<double>& cells, std::int32_t side) {
  const auto width = static_cast<std::size_t>(side) + 2;
  // The row above as it was, since it is overwritten before its last use.
  std::vector<double> above(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(width));
  std::vector<double> current(width);
  for (std::size_t row = 1; row + 1 < width; ++row) {
    double* const here = cells.data() + row * width;
    current.assign(here, here + width);
    const double* const below = here + width;
    for (std::size_t column = 1; column + 1 < width; ++column) {
      here[column] =
          0.25 * ((above[column] + below[column]) + (current[column - 1] + current[column + 1]));
    }
    above.swap(current);
  }
}

}  // namespace stencil
