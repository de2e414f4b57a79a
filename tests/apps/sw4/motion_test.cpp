// SPDX-License-Identifier: Apache-2.0
// The scheme on a whole grid: order, energy, layers, and bits that do not depend on the cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "numerics/closure.hpp"
#include "numerics/surface.hpp"
#include "patches.hpp"

namespace sw4::motion_test {
namespace {

/// All properties vary in all directions.
Elastic varying(const Point& p) {
  return {2.0 + std::sin(1.1 * p[0] + 0.3) * std::cos(0.9 * p[1]) * std::cos(0.7 * p[2]),
          3.0 + std::sin(0.8 * p[0]) * std::sin(0.7 * p[1] + 0.2) + 0.5 * std::sin(p[2]),
          2.0 + 0.6 * std::cos(0.9 * p[0] + 0.1 * p[1]) * std::sin(1.3 * p[2] + 0.4)};
}

/// A function and its first and second derivatives.
struct Line {
  double value, slope, bend;
};
/// (1 - (x / r)^2)^8 within r of c: zero beyond, smooth enough for order 4.
Line bump(double x, double c, double r) {
  const double s = (x - c) / r;
  const double b = 1.0 - s * s;
  if (b <= 0.0) return {0.0, 0.0, 0.0};
  return {std::pow(b, 8), -16.0 * s * std::pow(b, 7) / r,
          (-16.0 * std::pow(b, 7) + 224.0 * s * s * std::pow(b, 6)) / (r * r)};
}

/// A motion without traction on the surface whatever the medium: u = psi_y cos(z), v = -psi_x
/// cos(z), w = chi sin(z)^2, times sin(time); psi and chi vanish at the sides and, with a factor,
/// the bottom.
struct Gradient {
  std::array<double, 3> value{};
  std::array<std::array<double, 3>, 3> slope{};  // [component][direction]
};
constexpr double box = 4.0;
Gradient shape(const Point& p) {
  const Line x = bump(p[0], 0.5 * box, 0.5 * box), y = bump(p[1], 0.5 * box, 0.5 * box);
  // Down: 1 at the surface with no slope, 0 at the bottom.
  const Line z = bump(p[2], 0.0, 0.75 * box);
  const Line s{std::sin(p[2]), std::cos(p[2]), -std::sin(p[2])};
  Gradient g;
  g.value = {x.value * y.slope * z.value, -x.slope * y.value * z.value,
             x.value * y.value * z.value * s.value * s.value};
  g.slope[0] = {x.slope * y.slope * z.value, x.value * y.bend * z.value,
                x.value * y.slope * z.slope};
  g.slope[1] = {-x.bend * y.value * z.value, -x.slope * y.slope * z.value,
                -x.slope * y.value * z.slope};
  const double deep = z.value * s.value * s.value;
  g.slope[2] = {
      x.slope * y.value * deep, x.value * y.slope * deep,
      x.value * y.value * (z.slope * s.value * s.value + 2.0 * z.value * s.value * s.slope)};
  return g;
}
std::array<std::array<double, 3>, 3> stress(const Point& p) {
  const Gradient g = shape(p);
  const Elastic e = varying(p);
  const double spread = g.slope[0][0] + g.slope[1][1] + g.slope[2][2];
  std::array<std::array<double, 3>, 3> result{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      result[a][b] = e.mu * (g.slope[a][b] + g.slope[b][a]) + (a == b ? e.lambda * spread : 0.0);
    }
  }
  return result;
}
/// The divergence of the stress, by differences of order 6 that are much finer than the grid.
std::array<double, 3> divergence(const Point& p) {
  constexpr double h = 2e-3;
  constexpr std::array<double, 3> factor{0.75, -0.15, 1.0 / 60.0};
  std::array<double, 3> result{};
  for (std::size_t d = 0; d < 3; ++d) {
    for (int k = 1; k <= 3; ++k) {
      Point up = p, down = p;
      up[d] += k * h;
      down[d] -= k * h;
      const auto above = stress(up), below = stress(down);
      for (std::size_t c = 0; c < 3; ++c)
        result[c] += factor[static_cast<std::size_t>(k - 1)] * (above[c][d] - below[c][d]) / h;
    }
  }
  return result;
}

template <class Visit>
void for_each_point(const Patch& patch, const Grid& grid, Visit&& visit) {
  const Extent& extent = patch.extent();
  for (std::int32_t k = 1; k <= extent.nz; ++k) {
    for (std::int32_t j = 0; j < extent.ny; ++j) {
      for (std::int32_t i = 0; i < extent.nx; ++i) {
        visit(static_cast<std::size_t>(extent.at(i, j, k)),
              grid.position(patch.region().begin[0] + i, patch.region().begin[1] + j, k));
      }
    }
  }
}

/// The relative error in L2 after half a period, on n points to a side.
double error_on(std::int32_t n) {
  Grid grid;
  grid.points = {n - 1, n - 1, n};  // the sides at rest are a spacing beyond the outermost points
  grid.spacing = box / n;
  grid.origin = {grid.spacing, grid.spacing};
  Patches patches(grid, {1, 1}, varying);
  Patch& patch = patches.all().front();
  const std::size_t volume = patch.extent().volume();
  std::vector<PointForce> forces;
  std::vector<double> now(3 * volume), before(3 * volume), exact(3 * volume);
  constexpr double end = 1.0, speed = 2.0;  // sin(speed t)
  const int steps = static_cast<int>(std::ceil(end / step_of(grid.spacing, {1.0, 4.5, 3.0}, 1.2)));
  const double step = end / steps;
  for_each_point(patch, grid, [&](std::size_t at, const Point& p) {
    const Gradient g = shape(p);
    const auto pull = divergence(p);
    PointForce force{static_cast<std::ptrdiff_t>(at), 0, {}};
    for (std::size_t c = 0; c < 3; ++c) {
      // f = density u_tt - div stress, both times sin(speed t).
      force.force[c] = -varying(p).density * speed * speed * g.value[c] - pull[c];
      before[c * volume + at] = std::sin(-speed * step) * g.value[c];
      exact[c * volume + at] = std::sin(speed * end) * g.value[c];
    }
    forces.push_back(force);
  });
  patch.set_state(now, before);
  patch.set_forces(std::move(forces));
  for (int s = 0; s < steps; ++s) {
    const double rate = std::sin(speed * step * s);
    const double bend = -speed * speed * rate;
    patches.step(step, {&rate, 1}, {&bend, 1});
  }
  double sum = 0.0, norm = 0.0;
  for_each_point(patch, grid, [&](std::size_t at, const Point&) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double away = patch.now()[c * volume + at] - exact[c * volume + at];
      sum += away * away;
      norm += exact[c * volume + at] * exact[c * volume + at];
    }
  });
  return std::sqrt(sum / norm);
}

TEST(MotionTest, order_four_with_a_surface_in_a_varying_medium) {
  const double coarse = error_on(20), fine = error_on(40);
  const double order = std::log2(coarse / fine);
  std::printf("errors %.3g, %.3g: order %.2f\n", coarse, fine, order);
  EXPECT_GT(order, 3.7);
  EXPECT_LT(fine, 2e-3);
}

Grid small_grid(std::int32_t layer) {
  Grid grid;
  grid.points = {21, 18, 19};
  grid.spacing = 0.25;
  grid.layer = layer;
  return grid;
}

/// Random motion that has no traction on the surface.
std::vector<double> random_motion(const Patch& patch, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  const std::size_t volume = patch.extent().volume();
  std::vector<double> field(3 * volume);
  Grid grid;
  for_each_point(patch, grid, [&](std::size_t at, const Point&) {
    for (std::size_t c = 0; c < 3; ++c) field[c * volume + at] = any(engine);
  });
  free_surface(patch.medium(), field.data());
  return field;
}

/// (a, b) in the norm that the scheme sums by parts in, with density.
double product(const Patch& patch, const std::vector<double>& a, const std::vector<double>& b) {
  const Medium medium = patch.medium();
  const Extent& extent = patch.extent();
  double sum = 0.0;
  for (std::int32_t k = 1; k <= extent.nz; ++k) {
    const double norm =
        (k <= 4 ? closure.norm[static_cast<std::size_t>(k - 1)] : 1.0) / medium.stretch_z[k];
    for (std::int32_t j = 0; j < extent.ny; ++j) {
      for (std::int32_t i = 0; i < extent.nx; ++i) {
        const auto at = static_cast<std::size_t>(extent.at(i, j, k));
        const double weight =
            norm * medium.density[at] / medium.stretch_x[i + 2] / medium.stretch_y[j + 2];
        for (std::size_t c = 0; c < 3; ++c) {
          const std::size_t place = c * extent.volume() + at;
          sum += weight * a[place] * b[place];
        }
      }
    }
  }
  return sum;
}

std::vector<double> acceleration_of(const Patch& patch, const std::vector<double>& field) {
  std::vector<double> result(field.size());
  std::vector<double> scratch(scratch_size(patch.extent()));
  kernels().accelerate(patch.medium(), field.data(), result.data(), scratch.data());
  return result;
}

/// L with the surface is symmetric and never positive, with stretched layers too.
TEST(MotionTest, operator_sums_by_parts) {
  for (const std::int32_t layer : {0, 6}) {
    const Patch patch(small_grid(layer), {{0, 0}, {21, 18}}, varying);
    const std::vector<double> a = random_motion(patch, 1), b = random_motion(patch, 2);
    const std::vector<double> la = acceleration_of(patch, a), lb = acceleration_of(patch, b);
    const double scale = -product(patch, a, la);
    EXPECT_GT(scale, 0.0);
    EXPECT_NEAR(product(patch, b, la), product(patch, a, lb), 1e-12 * scale);
  }
}

/// The energy that the scheme conserves.
double energy(const Patch& patch, double step) {
  std::vector<double> difference(patch.now().size());
  for (std::size_t k = 0; k < difference.size(); ++k)
    difference[k] = (patch.now()[k] - patch.before()[k]) / step;
  std::vector<double> first = acceleration_of(patch, patch.before());
  free_surface(patch.medium(), first.data());
  const std::vector<double> second = acceleration_of(patch, first);
  return product(patch, difference, difference) - product(patch, patch.now(), first) -
         step * step / 12.0 * product(patch, patch.now(), second);
}

TEST(MotionTest, energy_is_conserved_at_the_longest_step) {
  Patches patches(small_grid(0), {1, 1}, varying);
  Patch& patch = patches.all().front();
  const std::vector<double> start = random_motion(patch, 3);
  patch.set_state(start, start);
  const double step = step_of(0.25, {1.0, 4.5, 2.6}, 1.0);  // more than its fastest
  const double before = energy(patch, step);
  for (int s = 0; s < 150; ++s) patches.step(step, {}, {});
  EXPECT_NEAR(energy(patch, step) / before, 1.0, 1e-11);
}

/// A constant medium at the factor that the program takes by default.
TEST(MotionTest, is_stable_at_a_factor_of_one_point_three) {
  const auto constant = [](const Point&) { return Elastic{1.0, 1.0, 1.0}; };
  Patches patches(small_grid(0), {1, 1}, constant);
  Patch& patch = patches.all().front();
  const std::vector<double> start = random_motion(patch, 4);
  patch.set_state(start, start);
  const double step = step_of(0.25, constant({}), 1.3);
  const double before = energy(patch, step);
  EXPECT_GT(before, 0.0);
  for (int s = 0; s < 500; ++s) patches.step(step, {}, {});
  EXPECT_NEAR(energy(patch, step) / before, 1.0, 1e-10);
}

/// The largest motion that is left inside after a pulse of height 1 has gone to the sides and back.
double left_with(std::int32_t layer) {
  Grid grid;
  grid.points = {37, 37, 24};
  grid.layer = layer;
  const auto constant = [](const Point&) { return Elastic{1.0, 1.0, 1.0}; };
  Patches patches(grid, {1, 1}, constant);
  Patch& patch = patches.all().front();
  const std::size_t volume = patch.extent().volume();
  std::vector<double> start(3 * volume);
  for_each_point(patch, grid, [&](std::size_t at, const Point& p) {
    const double square = (p[0] - 18) * (p[0] - 18) + (p[1] - 18) * (p[1] - 18) + p[2] * p[2];
    for (std::size_t c = 0; c < 3; ++c) start[c * volume + at] = std::exp(-square / 8.0);
  });
  free_surface(patch.medium(), start.data());
  patch.set_state(start, start);
  const double step = step_of(1.0, constant({}), 1.3);
  for (double t = 0.0; t < 80.0; t += step) patches.step(step, {}, {});
  double largest = 0.0;
  for_each_point(patch, grid, [&](std::size_t at, const Point& p) {
    if (p[2] > 11.0 || std::abs(p[0] - 18) > 6.0 || std::abs(p[1] - 18) > 6.0) return;
    for (std::size_t c = 0; c < 3; ++c)
      largest = std::max(largest, std::abs(patch.now()[c * volume + at]));
  });
  return largest;
}

TEST(MotionTest, layers_take_waves_in) {
  const double damped = left_with(12), reflected = left_with(0);
  std::printf("%.3g is left, %.3g without layers\n", damped, reflected);
  EXPECT_LT(damped, 0.02);
  EXPECT_LT(damped, 0.25 * reflected);
}

/// A source and a receiver beside the edges of patches.
std::vector<double> trace_of(std::array<std::int32_t, 2> blocks) {
  const Grid grid = small_grid(4);
  Patches patches(grid, blocks, varying);
  for (Patch& patch : patches.all()) {
    patch.set_forces(forces_of(grid, patch.region(), 0, {2.3, 2.1, 0.6}, {1, -2, 3, 4, -5, 6}));
    patch.set_receivers(receivers_of(grid, patch.region(), {{2.6, 2.13, 0.0}, {1.8, 2.4, 1.3}}));
  }
  std::vector<double> result;
  for (int s = 0; s < 20; ++s) {
    const double rate = std::sin(0.5 * s), bend = -0.25 * rate;
    patches.step(0.05, {&rate, 1}, {&bend, 1});
    for (std::int32_t r = 0; r < 2; ++r) {
      for (const Patch& patch : patches.all()) {
        for (const PatchReceiver& receiver : patch.receivers()) {
          if (receiver.receiver != r) continue;
          for (const double value : patch.read(receiver)) result.push_back(value);
        }
      }
    }
  }
  return result;
}

TEST(MotionTest, bits_do_not_depend_on_the_cut) {
  const std::vector<double> whole = trace_of({1, 1});
  EXPECT_EQ(whole.size(), 120u);
  EXPECT_GT(*std::max_element(whole.begin(), whole.end()), 0.0);
  EXPECT_EQ(trace_of({2, 3}), whole);
  EXPECT_EQ(trace_of({5, 1}), whole);
}

TEST(MotionTest, bits_do_not_depend_on_the_instruction_set) {
  const Patch patch(small_grid(5), {{0, 0}, {21, 18}}, varying);
  const std::vector<double> a = random_motion(patch, 5), b = random_motion(patch, 6);
  std::array<std::vector<double>, 2> found;
  for (std::size_t set = 0; set < 2; ++set) {
    const Kernels& chosen = set == 0 ? kernels() : portable_kernels();
    std::vector<double> first(a.size());
    std::vector<double> scratch(scratch_size(patch.extent()));
    found[set].resize(a.size());
    chosen.accelerate(patch.medium(), a.data(), first.data(), scratch.data());
    chosen.advance(patch.medium(), first.data(), a.data(), b.data(), 0.1, found[set].data(),
                   scratch.data());
    chosen.damp(patch.medium(), a.data(), b.data(), 0.02, found[set].data());
  }
  EXPECT_EQ(found[0], found[1]);
}

}  // namespace
}  // namespace sw4::motion_test
