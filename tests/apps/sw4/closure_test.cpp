// SPDX-License-Identifier: Apache-2.0
// What the finite differences at the surface promise, in exact fractions.
#include "numerics/closure.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "fraction.hpp"

namespace sw4::closure_test {
namespace {

constexpr std::size_t rows = Closure<Fraction>::rows;
constexpr std::size_t columns = Closure<Fraction>::columns;

const Closure<Fraction>& exact() {
  static const Closure<Fraction> result = make_closure<Fraction>();
  return result;
}

Fraction norm(std::size_t point) { return point < 4 ? exact().norm[point] : Fraction(1); }

Fraction power(std::int64_t x, int exponent) {
  Fraction result(1);
  for (int k = 0; k < exponent; ++k) result = result * Fraction(x);
  return result;
}

/// x^exponent, derived: 0 where that is a negative power times 0.
Fraction derivative(std::int64_t x, int exponent) {
  return exponent == 0 ? Fraction(0) : Fraction(exponent) * power(x, exponent - 1);
}

TEST(ClosureTest, first_derivative_sums_by_parts) {
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 6; ++b) {
      const Fraction sum =
          norm(a) * detail::first_row(exact(), a)[b] + norm(b) * detail::first_row(exact(), b)[a];
      EXPECT_EQ(sum, Fraction(a == 0 && b == 0 ? -1 : 0)) << a << ' ' << b;
    }
  }
}

TEST(ClosureTest, first_derivative_has_order_two) {
  for (int degree = 0; degree <= 2; ++degree) {
    for (std::size_t a = 0; a < 4; ++a) {
      Fraction sum;
      for (std::size_t b = 0; b < columns; ++b) {
        sum = sum + detail::first_row(exact(), a)[b] * power(static_cast<std::int64_t>(b), degree);
      }
      EXPECT_EQ(sum, derivative(static_cast<std::int64_t>(a), degree));
    }
  }
}

TEST(ClosureTest, surface_derivative_has_order_four) {
  for (int degree = 0; degree <= 4; ++degree) {
    Fraction sum;
    for (std::size_t k = 0; k < 5; ++k) {
      sum = sum + exact().surface[k] * power(static_cast<std::int64_t>(k) - 1, degree);
    }
    EXPECT_EQ(sum, derivative(0, degree)) << degree;
  }
}

/// (c v')' at a point, with the boundary term, for c = x^p and v = x^q.
Fraction second(std::size_t row, int p, int q) {
  Fraction sum;
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t m = 0; m < columns; ++m) {
      sum = sum + exact().second[row][k][m] * power(static_cast<std::int64_t>(m), p) *
                      power(static_cast<std::int64_t>(k), q);
    }
  }
  if (row == 0) sum = sum - power(0, p) * derivative(0, q) / norm(0);
  return sum;
}

TEST(ClosureTest, second_derivative_has_order_two_for_varying_coefficients) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (int p = 0; p <= 3; ++p) {
      for (int q = 0; p + q <= 3; ++q) {
        Fraction expected;
        if (q > 0 && p + q > 1) {
          expected = Fraction(q) * derivative(static_cast<std::int64_t>(row), p + q - 1);
        }
        EXPECT_EQ(second(row, p, q), expected) << row << ": x^" << p << ", x^" << q;
      }
    }
  }
}

TEST(ClosureTest, rows_behind_the_closure_are_those_of_the_inside) {
  // The last row is one that the closure does not change for c at points 6 to 8.
  const auto& row = exact().second[5];
  const auto n = [](int over, int under) { return Fraction(over) / Fraction(under); };
  EXPECT_EQ(row[7][6], n(1, 6));  // (c(+1) - 3/4 (c(0) + c(+2))) / 6
  EXPECT_EQ(row[7][5], n(-1, 8));
  EXPECT_EQ(row[7][7], n(-1, 8));
}

/// The factors of w(a) v(b) in the form of c(m) alone.
std::vector<std::vector<Fraction>> form_of(std::size_t m) {
  std::vector<std::vector<Fraction>> form(rows, std::vector<Fraction>(rows));
  for (std::size_t a = 0; a < rows; ++a) {
    for (std::size_t b = 0; b < rows; ++b) {
      form[a][b] = Fraction(0) - norm(a) * exact().second[a][b][m];
    }
  }
  return form;
}

TEST(ClosureTest, forms_of_all_coefficients_are_symmetric) {
  for (std::size_t m = 0; m < columns; ++m) {
    const auto form = form_of(m);
    for (std::size_t a = 0; a < rows; ++a) {
      for (std::size_t b = 0; b < rows; ++b) EXPECT_EQ(form[a][b], form[b][a]);
    }
  }
}

/// So that the form, which is a sum of squares times these and 1/144, is not negative.
TEST(ClosureTest, weights_of_third_differences_are_positive) {
  for (const Fraction third : exact().third) EXPECT_TRUE(third.is_positive());
}

}  // namespace
}  // namespace sw4::closure_test
