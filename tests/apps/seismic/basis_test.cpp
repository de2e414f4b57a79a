// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/operators.hpp"

namespace seismic {
namespace {

class Orders : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(All, Orders, ::testing::Range(lowest_order, highest_order + 1));

TEST_P(Orders, quadrature_integrates_polynomials_of_twice_the_degree_and_one) {
  const Basis basis(GetParam());
  for (int power = 0; power <= 2 * GetParam() + 1; ++power) {
    double sum = 0.0;
    for (int k = 0; k < basis.nodes(); ++k) {
      sum += basis.weight(k) * std::pow(basis.node(k), power);
    }
    EXPECT_NEAR(sum, 1.0 / (power + 1), 1e-14) << "power " << power;
  }
}

TEST_P(Orders, derivatives_and_values_are_exact_for_polynomials) {
  const Basis basis(GetParam());
  const auto polynomial = [&](double x) { return std::pow(x - 0.3, GetParam()); };
  const double end = 1.02;  // a little outside, as for points near a face
  double at_end = 0.0;
  const std::vector<double> values = basis.values(end);
  for (int k = 0; k < basis.nodes(); ++k) {
    double slope = 0.0;
    for (int j = 0; j < basis.nodes(); ++j)
      slope += basis.derivative(k, j) * polynomial(basis.node(j));
    EXPECT_NEAR(slope, GetParam() * std::pow(basis.node(k) - 0.3, GetParam() - 1), 1e-11);
    at_end += values[static_cast<std::size_t>(k)] * polynomial(basis.node(k));
  }
  EXPECT_NEAR(at_end, polynomial(end), 1e-12);
}

TEST_P(Orders, monomial_coefficients_are_those_of_the_polynomial) {
  const Basis basis(GetParam());
  std::vector<double> values;
  for (int k = 0; k < basis.nodes(); ++k) {
    values.push_back(2.0 - basis.node(k) + std::pow(basis.node(k), GetParam()));
  }
  const std::vector<double> found = monomial_coefficients(basis, values);
  for (int i = 0; i < basis.nodes(); ++i) {
    const double expected =
        (i == 0 ? 2.0 : 0.0) - (i == 1 ? 1.0 : 0.0) + (i == GetParam() ? 1.0 : 0.0);
    EXPECT_NEAR(found[static_cast<std::size_t>(i)], expected, 1e-8) << "power " << i;
  }
}

// What a face gives up to its parts and takes back is the same: projection after interpolation.
TEST_P(Orders, projection_undoes_interpolation) {
  const Basis basis(GetParam());
  const int n = basis.nodes();
  for (const int parts : {2, 3}) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) {
        double sum = 0.0;
        for (int part = 0; part < parts; ++part) {
          const PartOperators op = make_part_operators(basis, part, parts);
          for (int fine = 0; fine < n; ++fine) {
            sum += op.project[static_cast<std::size_t>(i * n + fine)] *
                   op.interpolate[static_cast<std::size_t>(fine * n + k)];
          }
        }
        EXPECT_NEAR(sum, i == k ? 1.0 : 0.0, 1e-12) << parts << " parts";
      }
    }
  }
}

}  // namespace
}  // namespace seismic
