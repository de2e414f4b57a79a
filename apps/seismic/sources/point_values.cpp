// SPDX-License-Identifier: Apache-2.0
#include "sources/point_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/gauss_legendre.hpp"

namespace seismic {
namespace {

constexpr std::size_t cells_in_row = 3;

/// The first `count` Legendre polynomials on [0, 1], of norm 1, at x.
std::vector<double> legendre_values(std::size_t count, double x) {
  const double t = 2.0 * x - 1.0;
  std::vector<double> values(count, 1.0);
  if (count > 1) values[1] = t;
  for (std::size_t k = 2; k < count; ++k) {
    const auto degree = static_cast<double>(k);
    values[k] =
        ((2.0 * degree - 1.0) * t * values[k - 1] - (degree - 1.0) * values[k - 2]) / degree;
  }
  for (std::size_t k = 0; k < count; ++k) {
    values[k] *= std::sqrt(2.0 * static_cast<double>(k) + 1.0);
  }
  return values;
}

/// Solves a symmetric positive definite system, n x n, by Cholesky's method, in place.
void solve_symmetric(std::vector<double>& matrix, std::vector<double>& right) {
  const std::size_t n = right.size();
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      double sum = matrix[row * n + column];
      for (std::size_t k = 0; k < column; ++k) sum -= matrix[row * n + k] * matrix[column * n + k];
      matrix[row * n + column] = row == column ? std::sqrt(sum) : sum / matrix[column * n + column];
    }
  }
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t k = 0; k < row; ++k) right[row] -= matrix[row * n + k] * right[k];
    right[row] /= matrix[row * n + row];
  }
  for (std::size_t row = n; row-- > 0;) {
    for (std::size_t k = row + 1; k < n; ++k) right[row] -= matrix[k * n + row] * right[k];
    right[row] /= matrix[row * n + row];
  }
}

}  // namespace

std::vector<double> neighbour_values(const Basis& basis, double x) {
  const auto nodes = static_cast<std::size_t>(basis.nodes());
  const std::size_t own = nodes - 1;  // polynomials in each cell, of degrees below the basis's
  const std::size_t unknowns = cells_in_row * own;
  const std::size_t conditions = std::min(2 * nodes, unknowns);
  constexpr auto row_length = static_cast<double>(cells_in_row);
  // moments[k * unknowns + u]: inner product of polynomial k on the row with polynomial u.
  std::vector<double> moments(conditions * unknowns, 0.0);
  const Quadrature rule = gauss_legendre(2 * basis.nodes());  // exact to degree 4 p + 3, of 3 p
  for (std::size_t q = 0; q < rule.nodes.size(); ++q) {
    const std::vector<double> in_cell = legendre_values(own, rule.nodes[q]);
    for (std::size_t cell = 0; cell < cells_in_row; ++cell) {
      const double place = (static_cast<double>(cell) + rule.nodes[q]) / row_length;
      const std::vector<double> in_row = legendre_values(conditions, place);
      for (std::size_t k = 0; k < conditions; ++k) {
        for (std::size_t j = 0; j < own; ++j) {
          moments[k * unknowns + cell * own + j] += rule.weights[q] * in_row[k] * in_cell[j];
        }
      }
    }
  }
  std::vector<double> matrix(conditions * conditions, 0.0);
  for (std::size_t k = 0; k < conditions; ++k) {
    for (std::size_t l = 0; l < conditions; ++l) {
      for (std::size_t u = 0; u < unknowns; ++u) {
        matrix[k * conditions + l] += moments[k * unknowns + u] * moments[l * unknowns + u];
      }
    }
  }
  std::vector<double> multipliers = legendre_values(conditions, (x + 1.0) / row_length);
  solve_symmetric(matrix, multipliers);
  std::vector<double> factors(cells_in_row * nodes, 0.0);
  for (std::size_t cell = 0; cell < cells_in_row; ++cell) {
    for (std::size_t node = 0; node < nodes; ++node) {
      const std::vector<double> in_cell = legendre_values(own, basis.node(static_cast<int>(node)));
      double sum = 0.0;
      for (std::size_t k = 0; k < conditions; ++k) {
        for (std::size_t j = 0; j < own; ++j) {
          sum += multipliers[k] * moments[k * unknowns + cell * own + j] * in_cell[j];
        }
      }
      factors[cell * nodes + node] = sum * basis.weight(static_cast<int>(node));
    }
  }
  return factors;
}

std::vector<double> point_values(const Basis& basis, const PointShare& share, std::size_t axis) {
  if (!share.is_among_neighbours) return basis.values(share.inside[axis]);
  const std::vector<double> row = neighbour_values(basis, share.inside[axis]);
  const auto begin = row.begin() + (share.offset[axis] + 1) * basis.nodes();
  return {begin, begin + basis.nodes()};
}

}  // namespace seismic
