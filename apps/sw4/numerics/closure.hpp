// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace sw4 {

/// Finite differences on points 1, 2, 3, ... below a boundary, spacing 1, that satisfy summation by
/// parts in the norm with weights `norm` at points 1 to 4 and 1 behind them. Order 4 inside, 2 at
/// the boundary, which gives order 4 in the solution. Indices count from 0 for point 1.
///
/// `first`: the first derivative at points 1 to 4 (Strand, J. Comput. Phys. 110, 1994, the operator
/// of order 2 at the boundary); behind them it is (1, -8, 0, 8, -1) / 12.
///
/// `second[q][k][m]`: the factor of c(m) v(k) in (c v')' at point q + 1, without its boundary term:
/// for all functions v, w and c
///
///   (w, (c v')') = -(first w, c first v) - P(c; w, v)
///   P(c; w, v) = sum over t of third[t] (c(t + 1) + c(t + 2)) / 2 T(t; w) T(t; v)
///              + sum over m of c(m) / 144 F(m; w) F(m; v)
///
/// with the third difference T(t; v) = -v(t) + 3 v(t + 1) - 3 v(t + 2) + v(t + 3) and the fourth
/// F(m; v) = T(m - 1; v) - T(m - 2; v). Inside this is the operator of Sjoegreen and Petersson, J.
/// Sci. Comput. 52, 2012, of five points, where all `third` are 1/18. At the boundary the form is
/// the same, so P is not negative where c is not, and order 2 there leaves one choice of the three
/// first `third`, which is positive. The boundary term is -w(1) c(1) (surface v) / norm(1), with
/// the first derivative `surface` of order 4 over a ghost point 0 and points 1 to 4.
template <class Number>
struct Closure {
  static constexpr std::size_t rows = 6;     // with a second derivative of their own
  static constexpr std::size_t columns = 8;  // that these rows reach, for c and v

  std::array<Number, 4> norm{};
  std::array<std::array<Number, 6>, 4> first{};
  std::array<Number, 3> third{};
  std::array<Number, 5> surface{};
  std::array<std::array<std::array<Number, columns>, columns>, rows> second{};
};

namespace detail {

/// The first derivative at a point of the closure, as factors of points 1 to 8.
template <class Number>
[[nodiscard]] constexpr std::array<Number, 8> first_row(const Closure<Number>& closure,
                                                        std::size_t point) {
  std::array<Number, 8> row{};
  if (point < 4) {
    for (std::size_t k = 0; k < 6; ++k) row[k] = closure.first[point][k];
    return row;
  }
  const Number near = Number(2) / Number(3);
  const Number far = Number(1) / Number(12);
  const std::array<Number, 5> inside{far, Number(0) - near, Number(0), near, Number(0) - far};
  for (std::size_t k = 0; k < 5; ++k) {
    if (point + k - 2 < row.size()) row[point + k - 2] = inside[k];
  }
  return row;
}

/// Factors of points 1 to 8 in the third difference that begins at `begin`.
template <class Number>
[[nodiscard]] constexpr std::array<Number, 8> third_difference(std::size_t begin) {
  std::array<Number, 8> row{};
  const std::array<Number, 4> factors{Number(-1), Number(3), Number(-3), Number(1)};
  for (std::size_t k = 0; k < 4; ++k) {
    if (begin + k < row.size()) row[begin + k] = factors[k];
  }
  return row;
}

/// Adds -weight a(q) a(k) / norm(q) to the factors of c(m).
template <class Number>
constexpr void subtract_square(Closure<Number>& closure, const std::array<Number, 8>& a,
                               Number weight, std::size_t m) {
  if (m >= Closure<Number>::columns) return;
  for (std::size_t q = 0; q < Closure<Number>::rows; ++q) {
    const Number norm = q < 4 ? closure.norm[q] : Number(1);
    for (std::size_t k = 0; k < Closure<Number>::columns; ++k) {
      closure.second[q][k][m] = closure.second[q][k][m] - weight * a[q] * a[k] / norm;
    }
  }
}

template <class Number>
constexpr void fill_second(Closure<Number>& closure) {
  for (std::size_t m = 0; m < 8; ++m) {
    const Number norm = m < 4 ? closure.norm[m] : Number(1);
    subtract_square(closure, first_row(closure, m), norm, m);
  }
  for (std::size_t t = 0; t < 8; ++t) {
    const Number third = t < 3 ? closure.third[t] : Number(1) / Number(18);
    const auto difference = third_difference<Number>(t);
    subtract_square(closure, difference, third / Number(2), t + 1);
    subtract_square(closure, difference, third / Number(2), t + 2);
    // The fourth difference about point t + 2: differences that begin at t and t + 1.
    auto fourth = third_difference<Number>(t + 1);
    for (std::size_t k = 0; k < 8; ++k) fourth[k] = fourth[k] - difference[k];
    subtract_square(closure, fourth, Number(1) / Number(144), t + 2);
  }
}

}  // namespace detail

/// `Number`: double, or exact fractions for a proof.
template <class Number>
[[nodiscard]] constexpr Closure<Number> make_closure() {
  const auto n = [](int over, int under) { return Number(over) / Number(under); };
  Closure<Number> closure;
  closure.norm = {n(17, 48), n(59, 48), n(43, 48), n(49, 48)};
  closure.first = {{{n(-24, 17), n(59, 34), n(-4, 17), n(-3, 34), n(0, 1), n(0, 1)},
                    {n(-1, 2), n(0, 1), n(1, 2), n(0, 1), n(0, 1), n(0, 1)},
                    {n(4, 43), n(-59, 86), n(0, 1), n(59, 86), n(-4, 43), n(0, 1)},
                    {n(3, 98), n(0, 1), n(-59, 98), n(0, 1), n(32, 49), n(-4, 49)}}};
  closure.third = {n(181507, 1719312), n(293, 4214), n(185, 3528)};
  closure.surface = {n(-3, 12), n(-10, 12), n(18, 12), n(-6, 12), n(1, 12)};
  detail::fill_second(closure);
  return closure;
}

inline constexpr Closure<double> closure = make_closure<double>();

}  // namespace sw4
