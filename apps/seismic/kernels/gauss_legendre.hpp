// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace seismic {

/// A quadrature rule on [0, 1]: exact for polynomials of degree 2 n - 1 with n nodes.
struct Quadrature {
  std::vector<double> nodes;  ///< ascending
  std::vector<double> weights;
};

/// The Gauss-Legendre rule with `count` nodes (1 or more), by Newton's iteration on the Legendre
/// polynomial (Abramowitz and Stegun, 25.4.29).
[[nodiscard]] Quadrature gauss_legendre(int count);

}  // namespace seismic
