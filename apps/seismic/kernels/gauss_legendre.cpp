// SPDX-License-Identifier: Apache-2.0
#include "kernels/gauss_legendre.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace seismic {
namespace {

struct Legendre {
  double value;
  double slope;
};

/// The Legendre polynomial of degree `degree` on [-1, 1], by its three-term recurrence.
Legendre legendre(int degree, double x) {
  double before = 1.0;
  double here = x;
  for (int k = 2; k <= degree; ++k) {
    const double next = ((2 * k - 1) * x * here - (k - 1) * before) / k;
    before = here;
    here = next;
  }
  return {here, degree * (x * here - before) / (x * x - 1.0)};
}

}  // namespace

Quadrature gauss_legendre(int count) {
  Quadrature rule{std::vector<double>(static_cast<std::size_t>(count), 0.5),
                  std::vector<double>(static_cast<std::size_t>(count), 1.0)};
  if (count == 1) return rule;
  for (int k = 0; k < count; ++k) {
    double x = -std::cos(std::numbers::pi * (k + 0.75) / (count + 0.5));
    for (int iteration = 0; iteration < 20; ++iteration) {
      const Legendre p = legendre(count, x);
      const double step = p.value / p.slope;
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    const double slope = legendre(count, x).slope;
    const auto index = static_cast<std::size_t>(k);
    rule.nodes[index] = 0.5 * (1.0 + x);
    rule.weights[index] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
  return rule;
}

}  // namespace seismic
