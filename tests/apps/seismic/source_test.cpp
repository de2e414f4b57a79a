// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fields.hpp"
#include "solve/receivers.hpp"
#include "whole_space.hpp"

namespace seismic::testing {
namespace {

using Trace = std::vector<std::array<double, 3>>;

constexpr double interval = 0.02;
const Material source_rock{1.0, 1.6, 0.8};
const std::array<double, 6> moment{0.3, -0.2, 0.5, 1.0, 0.4, -0.6};

/// A cube of cells around the origin, edges of length 2, and what is in it.
struct Scene {
  Point source{0.11, -0.07, 0.05};
  Point receiver{0.61, 0.43, -0.35};
  int order = 3;
  double size = 0.25;  ///< of a cell
  double end = 0.9;
  std::array<double, 6> moments = moment;
  SourceRate rate = septic_rate;
  Point lower{-1.0, -1.0, -1.0};
  std::array<std::int32_t, 3> count{8, 8, 8};
  Boundaries boundaries{Boundary::absorbing, Boundary::absorbing, Boundary::absorbing,
                        Boundary::absorbing, Boundary::absorbing, Boundary::absorbing};
};

Trace record(const Scene& scene) {
  RootGrid grid;
  grid.origin = scene.lower;
  grid.size = scene.size;
  grid.count = scene.count;
  Problem problem;
  problem.mesh = make_mesh(Spacetree(grid));
  problem.boundaries = scene.boundaries;
  problem.material = [](const Point&) { return source_rock; };
  problem.sources.push_back({scene.source, scene.moments, scene.rate});
  Solver solver(std::move(problem), scene.order);
  Receivers receivers(solver.mesh(), solver.basis(), solver.map(), {{"r", scene.receiver}});
  const auto per_sample = static_cast<std::int64_t>(std::ceil(interval / solver.longest_step(0.9)));
  solver.set_step(interval / static_cast<double>(per_sample));
  const auto state = [&](CellIndex cell) { return solver.state(cell); };
  receivers.record(state);
  while (solver.time() < scene.end - 1e-9) {
    solver.advance(per_sample);
    receivers.record(state);
  }
  return receivers.samples(0);
}

double relative_difference(const Trace& a, const Trace& b) {
  double away = 0.0, norm = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      away += (a[k][c] - b[k][c]) * (a[k][c] - b[k][c]);
      norm += b[k][c] * b[k][c];
    }
  }
  return std::sqrt(away / norm);
}

Trace closed_form(const Scene& scene, std::size_t samples) {
  Trace exact;
  for (std::size_t k = 0; k < samples; ++k) {
    exact.push_back(whole_space_velocity(source_rock, scene.moments, scene.source, scene.receiver,
                                         static_cast<double>(k) * interval));
  }
  return exact;
}

// Until what comes back from the boundaries arrives, the domain is a whole space.
TEST(PointSource, is_the_closed_form_in_a_whole_space) {
  Scene scene;
  scene.order = 4;
  const Trace found = record(scene);
  EXPECT_LT(relative_difference(found, closed_form(scene, found.size())), 6e-3);
}

// On a face, on an edge, in a corner: as good as inside of a cell, and a millionth of a cell beside
// it (a millimetre beside a kilometre) is the same.
TEST(PointSource, on_faces_moves_smoothly) {
  for (const Point& source :
       {Point{0.0, 0.13, 0.06}, Point{0.0, 0.0, 0.06}, Point{0.0, 0.0, 0.0}}) {
    Scene scene;
    scene.source = source;
    const Trace on = record(scene);
    EXPECT_LT(relative_difference(on, closed_form(scene, on.size())), 3e-2);
    for (const double shift : {5e-7, -5e-7}) {
      scene.source[0] = shift;
      EXPECT_LT(relative_difference(record(scene), on), 1e-4);
    }
  }
}

TEST(Receiver, on_a_face_moves_smoothly) {
  Scene scene;
  scene.receiver = {0.5, 0.43, -0.35};
  const Trace on = record(scene);
  for (const double shift : {5e-7, -5e-7}) {
    scene.receiver[0] = 0.5 + shift;
    EXPECT_LT(relative_difference(record(scene), on), 1e-4);
  }
}

// A quarter of the domain between mirrors is the whole one for a source Mxy on their edge.
TEST(Mirrors, make_a_quarter_of_the_domain_the_whole) {
  Scene whole;
  whole.source = {0.0, 0.0, 0.06};
  whole.receiver = {0.61, 0.43, -0.35};
  whole.moments = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
  whole.size = 0.5;
  whole.count = {4, 4, 4};
  Scene quarter = whole;
  quarter.lower = {0.0, 0.0, -1.0};
  quarter.count = {2, 2, 4};
  quarter.boundaries[0] = quarter.boundaries[2] = Boundary::antisymmetric;
  EXPECT_LT(relative_difference(record(quarter), record(whole)), 1e-10);
  // An explosion has the ordinary mirror.
  whole.moments = quarter.moments = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  quarter.boundaries[0] = quarter.boundaries[2] = Boundary::symmetric;
  EXPECT_LT(relative_difference(record(quarter), record(whole)), 1e-10);
}

TEST(SourceRate, a_table_is_the_function_it_was_made_of) {
  Scene scene;
  scene.size = 0.5;
  scene.count = {4, 4, 4};
  const Trace analytic = record(scene);
  std::vector<std::pair<double, double>> table;
  for (int k = 0; k <= 1000; ++k) table.emplace_back(k * 1e-3, septic_rate(k * 1e-3));
  scene.rate = tabulated_rate(table);
  EXPECT_LT(relative_difference(record(scene), analytic), 1e-4);
  EXPECT_THROW(static_cast<void>(tabulated_rate({{0.0, 1.0}, {0.0, 2.0}})), std::invalid_argument);
}

TEST(SourceRate, integrates_to_one) {
  for (const SourceRate& rate : {brune_rate(0.1), gaussian_rate(0.06, 0.36)}) {
    double sum = 0.0;
    for (int k = 0; k < 40000; ++k) sum += rate((k + 0.5) * 1e-4) * 1e-4;
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

}  // namespace
}  // namespace seismic::testing
