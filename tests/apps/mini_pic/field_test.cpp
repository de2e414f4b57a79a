// SPDX-License-Identifier: Apache-2.0
// The field of known charges, exact sums, and the checks of a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <stdexcept>

#include "mini_pic/report.hpp"
#include "mini_pic/solver.hpp"
#include "parts_together.hpp"

namespace mini_pic::field_test {

/// The largest error of the potential of a charge density cos(k x), over its amplitude 1 / k^2.
double potential_error(std::int64_t cubes) {
  const Box box{.cubes = {cubes, 4, 4}, .parts = {1, 1, 1}};
  const Piece piece(box, 0);
  std::map<std::int64_t, double> phase;  // of nodes
  const double k = 2 * std::numbers::pi / static_cast<double>(cubes);
  for (const Tetrahedron& one : box.tetrahedra_around(0))
    for (std::size_t i = 0; i < 4; ++i)
      phase[one.nodes[i]] = k * static_cast<double>(one.corners[i][0]) / units_per_cube;
  const double cube = std::pow(static_cast<double>(units_per_cube), 3);
  std::vector<double> charge;
  double sum = 0;
  for (std::size_t i = 0; i < piece.own_count(); ++i) {
    charge.push_back(std::cos(phase.at(piece.own_ids[i])) *
                     static_cast<double>(piece.own_volumes[i]) / (24 * cube));
    sum += charge.back();
  }
  for (double& one : charge) one -= sum / static_cast<double>(charge.size());
  Solver solver(piece);
  solver.begin(piece, charge);
  Products sums = solver.products(piece);
  for (; !sums.is_solved(1e-10); sums = solver.products(piece)) solver.advance(sums, 1e-10);
  EXPECT_LT(solver.iterations(), 200);
  double mean = 0;
  for (const double one : solver.potential())
    mean += one / static_cast<double>(solver.potential().size());
  double largest = 0;
  for (std::size_t i = 0; i < piece.own_count(); ++i) {
    const double expected = std::cos(phase.at(piece.own_ids[i])) / (k * k);
    largest = std::max(largest, std::abs(solver.potential()[i] - mean - expected));
  }
  return largest * k * k;
}

TEST(Solver, has_an_error_of_second_order) {
  const double coarse = potential_error(8);
  const double fine = potential_error(16);
  EXPECT_LT(coarse, 0.2);
  EXPECT_GT(coarse, 3 * fine);
  EXPECT_GT(fine, 3 * potential_error(32));
}

TEST(Solver, reports_charges_that_have_no_periodic_potential) {
  const Piece piece(Box{.cubes = {3, 3, 3}, .parts = {1, 1, 1}}, 0);
  Solver solver(piece);
  solver.begin(piece, std::vector<double>(piece.own_count(), 1e-3));
  const auto solve = [&] {
    for (Products sums = solver.products(piece); !sums.is_solved(1e-6);
         sums = solver.products(piece))
      solver.advance(sums, 1e-6);
  };
  EXPECT_THROW(solve(), std::runtime_error);
}

/// Particles and field after three steps, with so many parts.
Found found_with(const Vector& parts) {
  Plasma plasma{.box = {.cubes = {6, 4, 3}, .parts = parts}, .is_uneven = true};
  plasma.amplitude = 0.1;
  PartsTogether all(plasma);
  Sums first;
  std::vector<Mail<Walker>> mail;
  for (Part& part : all.parts) mail.push_back(part.load(plasma, first));
  for (int step = 0; step < 4; ++step) {
    all.settle(std::move(mail));
    const Products products = all.find_field(plasma, first.background);
    EXPECT_EQ(products.deposit, plasma.total_weight() * deposit_units);
    Sums sums;
    mail.clear();
    if (step == 3) break;
    for (Part& part : all.parts) mail.push_back(part.move(plasma, sums));
    EXPECT_GT(sums.field.value(), 0.5 * plasma.first_field_energy());
  }
  Found found;
  for (const Part& part : all.parts) found = found + part.check();
  EXPECT_EQ(found.particles, plasma.particles());
  EXPECT_EQ(found.misplaced, 0);
  return found;
}

TEST(Parts, change_no_bit_of_particles_and_field) {
  const std::uint64_t bits = found_with({1, 1, 1}).bits;
  EXPECT_EQ(found_with({3, 2, 1}).bits, bits);
  EXPECT_EQ(found_with({6, 4, 3}).bits, bits);
}

TEST(ExactSum, does_not_depend_on_order_and_loses_little) {
  std::mt19937_64 random(3);
  std::vector<double> numbers;
  long double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5,
                                 static_cast<int>(random() % 40) - 35));
    sum += numbers.back();
  }
  ExactSum forwards;
  for (const double x : numbers) forwards.add(x);
  ExactSum backwards;
  for (std::size_t i = numbers.size(); i-- > 500;) backwards.add(numbers[i]);
  ExactSum half;
  for (std::size_t i = 500; i-- > 0;) half.add(numbers[i]);
  EXPECT_EQ(forwards.units, (half + backwards).units);
  EXPECT_NEAR(forwards.value(), static_cast<double>(sum), 1e-15 * std::abs(forwards.value()));
  EXPECT_THROW(forwards.add(1e6), std::overflow_error);
  EXPECT_THROW(forwards.add(std::nan("")), std::overflow_error);
}

TEST(Plasma, has_rates_that_satisfy_the_dispersion_relation) {
  for (const double ratio : {0.1, 0.5, std::sqrt(3.0 / 8), 0.9, 1.1, 2.0}) {
    const Plasma plasma{.ratio = ratio};
    const std::complex<double> omega = std::complex<double>(0, 1) * plasma.rate();
    const auto part = [&](double sign) { return 0.5 / std::pow(omega + sign * ratio, 2); };
    EXPECT_NEAR(std::abs(part(1) + part(-1) - 1.0), 0, 1e-9) << ratio;
    EXPECT_EQ(plasma.rate().real() > 0, ratio < 1);
  }
  EXPECT_NEAR(Plasma{}.rate().real(), 1 / std::sqrt(8.0), 1e-15);
}

/// What a run would find in which all is as it must be.
Outcome right_outcome(const Settings& settings) {
  Outcome outcome;
  const std::int64_t n = settings.plasma.particles();
  outcome.found.particles = n;
  for (std::int64_t id = 0; id < n; ++id) {
    outcome.found.ids += static_cast<std::uint64_t>(id);
    outcome.found.squares += static_cast<std::uint64_t>(id * id);
  }
  for (int i = 0; i < 60; ++i) {
    Energies one;
    one.field = settings.plasma.first_field_energy() *
                std::exp(2 * settings.plasma.rate().real() * settings.plasma.time_step * i);
    one.kinetic = 300 - one.field;
    outcome.steps.push_back(one);
  }
  return outcome;
}

TEST(Checks, find_the_growth_rate_while_the_wave_is_linear) {
  const Settings settings;
  const Outcome outcome = right_outcome(settings);
  const auto growth = growth_of(settings.plasma, outcome.steps);
  ASSERT_TRUE(growth.has_value());
  EXPECT_NEAR(growth->rate, settings.plasma.rate().real(), 1e-12);
  EXPECT_LT(growth->to, 9);
  EXPECT_NO_THROW(check(settings, outcome));
}

TEST(Checks, find_each_fault) {
  const Settings settings;
  const auto is_found = [&](auto fault) {
    Outcome outcome = right_outcome(settings);
    fault(outcome);
    EXPECT_THROW(check(settings, outcome), std::runtime_error);
  };
  is_found([](Outcome& of) { --of.found.particles; });
  is_found([](Outcome& of) { of.found.squares += 2; });
  is_found([](Outcome& of) { of.found.misplaced = 1; });
  is_found([](Outcome& of) { of.charge_is_exact = false; });
  is_found([](Outcome& of) { of.steps.resize(20); });
  is_found([](Outcome& of) { of.steps[7].momentum = 0.5; });
  is_found([](Outcome& of) { of.steps[9].kinetic += 4; });
  is_found([](Outcome& of) {  // grows too slowly
    for (std::size_t i = 0; i < of.steps.size(); ++i)
      of.steps[i].field *= std::exp(-0.01 * static_cast<double>(i));
  });
  Settings stable;
  stable.plasma.ratio = 1.5;
  Outcome outcome = right_outcome(stable);
  EXPECT_NO_THROW(check(stable, outcome));
  outcome.steps[50].field *= 20;
  EXPECT_THROW(check(stable, outcome), std::runtime_error);
}

}  // namespace mini_pic::field_test
