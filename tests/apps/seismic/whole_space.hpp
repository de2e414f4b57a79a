// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "kernels/gauss_legendre.hpp"
#include "kernels/material.hpp"
#include "mesh/spacetree.hpp"

namespace seismic::testing {

/// 51480 t^7 (1 - t)^7 from 0 to 1, of integral 1, and its derivative.
inline double septic_rate(double t) {
  return t <= 0.0 || t >= 1.0 ? 0.0 : 51480.0 * std::pow(t * (1.0 - t), 7);
}
inline double septic_slope(double t) {
  return t <= 0.0 || t >= 1.0 ? 0.0 : 51480.0 * 7.0 * std::pow(t * (1.0 - t), 6) * (1.0 - 2.0 * t);
}

/// Velocity of a whole space with a moment tensor at `source` of moment rate septic_rate(t): the
/// time derivative of Aki and Richards, Quantitative Seismology, equation 4.29.
inline std::array<double, 3> whole_space_velocity(const Material& rock,
                                                  const std::array<double, 6>& m,
                                                  const Point& source, const Point& receiver,
                                                  double time) {
  const double M[3][3] = {{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}};
  const Point d{receiver[0] - source[0], receiver[1] - source[1], receiver[2] - source[2]};
  const double r = std::hypot(d[0], d[1], d[2]);
  const double a = rock.p_speed, b = rock.s_speed;
  // The near field's integral of tau * rate(time - tau) from r/a to r/b.
  double near = 0.0;
  const Quadrature rule = gauss_legendre(60);
  for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
    const double tau = r / a + (r / b - r / a) * rule.nodes[k];
    near += rule.weights[k] * (r / b - r / a) * tau * septic_rate(time - tau);
  }
  std::array<double, 3> velocity{};
  for (std::size_t n = 0; n < 3; ++n) {
    for (std::size_t p = 0; p < 3; ++p) {
      for (std::size_t q = 0; q < 3; ++q) {
        const double gn = d[n] / r, gp = d[p] / r, gq = d[q] / r;
        const double npq = gn * gp * gq;
        const double sum = gn * (p == q) + gp * (n == q) + gq * (n == p);
        const double terms =
            (15 * npq - 3 * sum) / std::pow(r, 4) * near +
            (6 * npq - sum) / (a * a * r * r) * septic_rate(time - r / a) -
            (6 * npq - sum - gq * (n == p)) / (b * b * r * r) * septic_rate(time - r / b) +
            npq / (a * a * a * r) * septic_slope(time - r / a) -
            (npq - gq * (n == p)) / (b * b * b * r) * septic_slope(time - r / b);
        velocity[n] += M[p][q] * terms / (4.0 * std::numbers::pi * rock.density);
      }
    }
  }
  return velocity;
}

}  // namespace seismic::testing
