// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace sw4 {

/// Factors of the values at points begin, begin + 1, ... of a direction, spacing 1.
template <std::size_t N>
struct Weights {
  std::int32_t begin = 0;
  std::array<double, N> value{};  ///< that give the value at a place
  std::array<double, N> slope{};  ///< and the first derivative
};

/// Those by which a point source is spread over the grid. A source is the functional that takes the
/// value or the derivative of a field at its place; so its weights are those of an interpolation:
/// the quintic through values, first and second derivatives at two points, these by differences of
/// five points. It is exact for polynomials of degree 4, which are the moment conditions of order 4
/// and one more (Petersson and Sjoegreen, Commun. Comput. Phys. 8, 2010, section 4), and twice
/// differentiable as the source moves. Nearer to `first` or `last` than three points: the
/// polynomial of degree 5 through the six outermost points.
[[nodiscard]] Weights<6> source_weights(double place, std::int32_t first, std::int32_t last);

/// Those by which a receiver reads: the polynomial of degree 4 through the five points about the
/// nearest one, or the five outermost in first to last. Slopes are not set.
[[nodiscard]] Weights<5> receiver_weights(double place, std::int32_t first, std::int32_t last);

}  // namespace sw4
