// SPDX-License-Identifier: Apache-2.0
#include "kernels/operators.hpp"

#include <cstddef>

namespace seismic {

Operators make_operators(const Basis& basis) {
  Operators result;
  const int n = basis.nodes();
  const int row = Layout{n}.row();
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      const double value = basis.derivative(k, j);
      result.derivative[static_cast<std::size_t>(k * n + j)] = value;
      result.derivative_rows[static_cast<std::size_t>(j * row + k)] = value;
    }
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const std::vector<double> values = basis.values(static_cast<double>(side));
    for (int j = 0; j < n; ++j) {
      const auto index = static_cast<std::size_t>(j);
      result.at_face[side][index] = values[index];
      result.lift[side][index] = values[index] / basis.weight(j);
    }
  }
  return result;
}

PartOperators make_part_operators(const Basis& basis, int part, int parts) {
  PartOperators result;
  const int n = basis.nodes();
  for (int fine = 0; fine < n; ++fine) {
    const std::vector<double> values = basis.values((part + basis.node(fine)) / parts);
    for (int coarse = 0; coarse < n; ++coarse) {
      const double value = values[static_cast<std::size_t>(coarse)];
      result.interpolate[static_cast<std::size_t>(fine * n + coarse)] = value;
      result.project[static_cast<std::size_t>(coarse * n + fine)] =
          basis.weight(fine) / basis.weight(coarse) / parts * value;
    }
  }
  return result;
}

}  // namespace seismic
