// SPDX-License-Identifier: Apache-2.0
// Sources and receivers at any place.
#include <gtest/gtest.h>

#include <cmath>

#include "numerics/point_weights.hpp"

namespace sw4::points_test {
namespace {

template <std::size_t N>
void expect_exact(const Weights<N>& weights, double place, int degree, bool has_slopes) {
  double value = 0.0, slope = 0.0;
  for (std::size_t k = 0; k < N; ++k) {
    const double x = weights.begin + static_cast<double>(k) - 10.0;
    value += weights.value[k] * std::pow(x, degree);
    slope += weights.slope[k] * std::pow(x, degree);
  }
  const double x = place - 10.0;
  EXPECT_NEAR(value, std::pow(x, degree), 1e-9) << place << ' ' << degree;
  if (has_slopes && degree > 0) {
    EXPECT_NEAR(slope, degree * std::pow(x, degree - 1), 1e-9) << place << ' ' << degree;
  }
}

TEST(PointsTest, moment_conditions_hold_at_each_place) {
  for (double place = 5.0; place <= 15.0; place += 0.1) {
    for (int degree = 0; degree <= 4; ++degree) {
      expect_exact(source_weights(place, 5, 15), place, degree, true);
      expect_exact(receiver_weights(place, 5, 15), place, degree, false);
    }
  }
}

/// A source that moves from one cell into the next one moves smoothly.
TEST(PointsTest, weights_of_sources_are_continuous) {
  const Weights<6> below = source_weights(10.0 - 1e-9, 0, 20), above = source_weights(10.0, 0, 20);
  ASSERT_EQ(above.begin, below.begin + 1);
  for (std::size_t k = 0; k + 1 < 6; ++k) {
    EXPECT_NEAR(below.value[k + 1], above.value[k], 1e-8);
    EXPECT_NEAR(below.slope[k + 1], above.slope[k], 1e-7);
  }
}

TEST(PointsTest, on_a_point_the_derivative_is_that_of_the_grid) {
  const Weights<6> weights = source_weights(10.0, 0, 20);
  const std::array<double, 6> slope{1.0 / 12, -2.0 / 3, 0.0, 2.0 / 3, -1.0 / 12, 0.0};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(weights.value[k], k == 2 ? 1.0 : 0.0, 1e-15);
    EXPECT_NEAR(weights.slope[k], slope[k], 1e-15);
  }
}

}  // namespace
}  // namespace sw4::points_test
