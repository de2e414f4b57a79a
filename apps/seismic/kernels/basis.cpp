// SPDX-License-Identifier: Apache-2.0
#include "kernels/basis.hpp"

#include <cstddef>

namespace seismic {

Basis::Basis(int order) : quadrature_(gauss_legendre(order + 1)) {
  barycentric_.assign(quadrature_.nodes.size(), 1.0);
  for (int k = 0; k < nodes(); ++k) {
    for (int j = 0; j < nodes(); ++j) {
      if (j != k) barycentric_[static_cast<std::size_t>(k)] /= node(k) - node(j);
    }
  }
}

std::vector<double> Basis::values(double x) const {
  std::vector<double> result(quadrature_.nodes.size(), 1.0);
  for (int k = 0; k < nodes(); ++k) {
    for (int j = 0; j < nodes(); ++j) {
      if (j != k) result[static_cast<std::size_t>(k)] *= (x - node(j)) / (node(k) - node(j));
    }
  }
  return result;
}

double Basis::derivative(int k, int j) const {
  if (k != j) {
    return barycentric_[static_cast<std::size_t>(j)] / barycentric_[static_cast<std::size_t>(k)] /
           (node(k) - node(j));
  }
  // The derivatives of the basis sum to that of the constant 1.
  double sum = 0.0;
  for (int other = 0; other < nodes(); ++other) {
    if (other != k) sum -= derivative(k, other);
  }
  return sum;
}

std::vector<double> monomial_coefficients(const Basis& basis, std::span<const double> values) {
  const std::size_t count = values.size();
  std::vector<double> result(count, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    // The k-th basis polynomial, multiplied out factor by factor.
    std::vector<double> product(count, 0.0);
    product[0] = values[k];
    std::size_t degree = 0;
    for (std::size_t j = 0; j < count; ++j) {
      if (j == k) continue;
      const double root = basis.node(static_cast<int>(j));
      const double scale = 1.0 / (basis.node(static_cast<int>(k)) - root);
      ++degree;
      for (std::size_t i = degree; i > 0; --i) {
        product[i] = scale * (product[i - 1] - root * product[i]);
      }
      product[0] *= -root * scale;
    }
    for (std::size_t i = 0; i < count; ++i) result[i] += product[i];
  }
  return result;
}

}  // namespace seismic
