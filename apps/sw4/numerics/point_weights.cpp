// SPDX-License-Identifier: Apache-2.0
#include "numerics/point_weights.hpp"

#include <algorithm>
#include <cmath>

namespace sw4 {
namespace {

/// Lagrange's polynomials through 0, 1, ..., N - 1 at x.
template <std::size_t N>
void lagrange(double x, Weights<N>& weights) {
  for (std::size_t k = 0; k < N; ++k) {
    double value = 1.0;
    double slope = 0.0;
    for (std::size_t m = 0; m < N; ++m) {
      if (m == k) continue;
      const double scale = 1.0 / (static_cast<double>(k) - static_cast<double>(m));
      const double factor = (x - static_cast<double>(m)) * scale;
      slope = slope * factor + value * scale;
      value *= factor;
    }
    weights.value[k] = value;
    weights.slope[k] = slope;
  }
}

/// The quintic Hermite basis for value, slope and second derivative at 0, at x from 0 to 1; that of
/// 1 is the same of 1 - x, with the slope's sign turned. Second of each pair: the derivative.
struct Hermite {
  double value, slope, bend;
};
Hermite hermite(double x) {
  const double x3 = x * x * x;
  return {1.0 + x3 * (-10.0 + x * (15.0 - 6.0 * x)), x + x3 * (-6.0 + x * (8.0 - 3.0 * x)),
          0.5 * (x * x + x3 * (-3.0 + x * (3.0 - x)))};
}
Hermite hermite_slope(double x) {
  const double x2 = x * x;
  return {x2 * (-30.0 + x * (60.0 - 30.0 * x)), 1.0 + x2 * (-18.0 + x * (32.0 - 15.0 * x)),
          x + x2 * (-4.5 + x * (6.0 - 2.5 * x))};
}

/// Adds a point's part: its value, slope and second derivative are differences of the five points
/// about it, the first of which is `begin`.
void add(std::array<double, 6>& weights, std::size_t begin, const Hermite& part) {
  constexpr std::array<double, 5> first{1.0 / 12, -8.0 / 12, 0.0, 8.0 / 12, -1.0 / 12};
  constexpr std::array<double, 5> second{-1.0 / 12, 16.0 / 12, -30.0 / 12, 16.0 / 12, -1.0 / 12};
  for (std::size_t k = 0; k < 5; ++k)
    weights[begin + k] += part.slope * first[k] + part.bend * second[k];
  weights[begin + 2] += part.value;
}

}  // namespace

Weights<6> source_weights(double place, std::int32_t first, std::int32_t last) {
  Weights<6> weights;
  const auto below = static_cast<std::int32_t>(std::floor(place));
  weights.begin = below - 2;
  if (below - 2 < first || below + 3 > last) {
    weights.begin = std::clamp(below - 2, first, last - 5);
    lagrange(place - weights.begin, weights);
    return weights;
  }
  const double x = place - below;
  const Hermite upper = hermite(1.0 - x);
  const Hermite upper_slope = hermite_slope(1.0 - x);
  add(weights.value, 0, hermite(x));
  add(weights.value, 1, {upper.value, -upper.slope, upper.bend});
  add(weights.slope, 0, hermite_slope(x));
  add(weights.slope, 1, {-upper_slope.value, upper_slope.slope, -upper_slope.bend});
  return weights;
}

Weights<5> receiver_weights(double place, std::int32_t first, std::int32_t last) {
  Weights<5> weights;
  const auto nearest = static_cast<std::int32_t>(std::floor(place + 0.5));
  weights.begin = std::clamp(nearest - 2, first, last - 4);
  lagrange(place - weights.begin, weights);
  return weights;
}

}  // namespace sw4
