// SPDX-License-Identifier: Apache-2.0
// The ensemble's solver and statistics against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "uq/report.hpp"
#include "uq/settings.hpp"

namespace uq::solver_test {

constexpr Kind all_kinds[] = {Kind::constant, Kind::layers, Kind::graded};

TEST(Solver, is_exact_at_nodes_where_coefficients_are_constant_in_elements) {
  for (const Kind kind : {Kind::constant, Kind::layers}) {
    const Field field{.kind = kind};
    for (const std::int64_t elements : {2, 10, 1000}) {
      const Mesh mesh(field, elements);
      EXPECT_NEAR(solve_for(mesh, {1.3, 2.9}), field.exact_middle({1.3, 2.9}), 1e-12) << elements;
    }
  }
}

TEST(Solver, has_a_fourth_of_the_error_with_half_the_elements_length) {
  const Field field{.kind = Kind::graded};
  const auto error = [&field](std::int64_t elements) {
    return std::abs(solve_for(Mesh(field, elements), {1.7, 0}) - field.exact_middle({1.7, 0}));
  };
  for (const std::int64_t elements : {4, 8, 16, 32, 64}) {
    EXPECT_GT(error(elements), 3.8 * error(2 * elements)) << elements;
    EXPECT_LT(error(elements), 4.2 * error(2 * elements)) << elements;
  }
}

TEST(Solver, gives_a_sample_of_a_pack_the_bits_that_it_has_alone) {
  for (const Kind kind : all_kinds) {
    const Field field{.kind = kind, .seed = 5};
    const Mesh mesh(field, 50);
    for (std::int64_t first = 0; first < 80; first += 8) {
      const Pack pack = solve_pack(mesh, field, first);
      for (std::size_t s = 0; s < pack_size; ++s)
        EXPECT_EQ(pack[s], solve_one(mesh, field, first + static_cast<std::int64_t>(s)));
    }
  }
}

TEST(Moments, are_those_of_the_midpoint_rule) {
  for (const Kind kind : all_kinds) {
    const Field field{.kind = kind, .low = 0.5, .high = 4};
    constexpr int points = 400;
    double mean = 0;
    const Moments exact = field.exact_moments();
    double of_square = 0;
    double of_fourth = 0;
    for (int i = 0; i < points; ++i) {
      for (int j = 0; j < points; ++j) {
        const double u =
            field.exact_middle({0.5 + 3.5 * (i + 0.5) / points, 0.5 + 3.5 * (j + 0.5) / points});
        mean += u / points / points;
        of_square += std::pow(u - exact.mean, 2) / points / points;
        of_fourth += std::pow(u - exact.mean, 4) / points / points;
      }
    }
    EXPECT_NEAR(exact.mean, mean, 1e-5 * mean);
    EXPECT_NEAR(exact.variance, of_square, 1e-4 * exact.variance);
    EXPECT_NEAR(exact.fourth, of_fourth, 1e-3 * exact.fourth);
  }
}

/// The root of the mean square of the error of the mean, over 64 ensembles.
double typical_error(Kind kind, std::int64_t samples) {
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    const Field field{.kind = kind, .seed = seed};
    double sum = 0;
    for (std::int64_t sample = 0; sample < samples; ++sample)
      sum += field.exact_middle(field.draw(sample));
    const double error = sum / static_cast<double>(samples) - field.exact_moments().mean;
    squares += error * error;
  }
  return std::sqrt(squares / 64);
}

TEST(Ensembles, have_errors_of_one_over_the_root_of_their_size) {
  for (const Kind kind : all_kinds) {
    const double deviation = std::sqrt(Field{.kind = kind}.exact_moments().variance);
    for (const std::int64_t samples : {64, 1024, 16384}) {
      // 64 ensembles determine it to 9 %.
      const double expected = deviation / std::sqrt(static_cast<double>(samples));
      EXPECT_NEAR(typical_error(kind, samples), expected, 0.3 * expected) << samples;
    }
  }
}

TEST(Statistics, are_mean_and_variance_however_they_are_combined) {
  const std::vector<double> values{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / 11;
  double deviations = 0;
  for (const double value : values) deviations += (value - mean) * (value - mean);
  std::vector<Statistics> each;
  Statistics in_order;
  for (const double value : values) {
    each.push_back({1, value, 0});
    in_order = Merge()(in_order, each.back());
  }
  for (const Statistics& found : {in_order, merged(each.data(), each.size())}) {
    EXPECT_EQ(found.count, 11);
    EXPECT_NEAR(found.mean, mean, 1e-14);
    EXPECT_NEAR(found.deviations, deviations, 1e-12);
    EXPECT_NEAR(found.error(), std::sqrt(deviations / 10 / 11), 1e-14);
  }
}

TEST(Checks, find_wrong_moments_and_missing_samples) {
  const Settings settings;
  const Ensemble& ensemble = settings.ensemble;
  const Moments exact = ensemble.field.exact_moments();
  const auto samples = static_cast<double>(ensemble.samples_of_round());
  Outcome outcome;
  outcome.rounds = 1;
  outcome.statistics = {samples, exact.mean, exact.variance * (samples - 1)};
  EXPECT_NO_THROW(check(settings, outcome));
  Outcome wrong = outcome;
  wrong.statistics.mean += 6 * outcome.statistics.error();
  EXPECT_THROW(check(settings, wrong), std::runtime_error);
  wrong = outcome;
  wrong.statistics.deviations *= 1.2;
  EXPECT_THROW(check(settings, wrong), std::runtime_error);
  wrong = outcome;
  wrong.statistics.count -= 1;
  EXPECT_THROW(check(settings, wrong), std::runtime_error);
}

}  // namespace uq::solver_test
