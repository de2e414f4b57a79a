// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "kernels/gauss_legendre.hpp"

namespace seismic {

/// The Lagrange polynomials through the Gauss-Legendre nodes of [0, 1]: the basis in each direction
/// of a cell.
class Basis {
 public:
  /// `order`: the polynomials' degree; one node more than that.
  explicit Basis(int order);

  [[nodiscard]] int nodes() const { return static_cast<int>(quadrature_.nodes.size()); }
  [[nodiscard]] double node(int k) const { return quadrature_.nodes[static_cast<std::size_t>(k)]; }
  [[nodiscard]] double weight(int k) const {
    return quadrature_.weights[static_cast<std::size_t>(k)];
  }
  /// All basis polynomials at x, which may lie outside of [0, 1].
  [[nodiscard]] std::vector<double> values(double x) const;
  /// The derivative of basis polynomial `j` at node `k`.
  [[nodiscard]] double derivative(int k, int j) const;

 private:
  Quadrature quadrature_;
  std::vector<double> barycentric_;  // weights of the second barycentric formula
};

/// Coefficients c_i of the polynomial sum_i c_i x^i that takes `values` at the basis's nodes.
/// Shapes: nodes() values, nodes() coefficients.
[[nodiscard]] std::vector<double> monomial_coefficients(const Basis& basis,
                                                        std::span<const double> values);

}  // namespace seismic
