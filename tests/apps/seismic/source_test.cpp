// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fields.hpp"
#include "solve/receivers.hpp"
#include "sources/point_values.hpp"
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
  bool uses_neighbours = false;
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
  if (scene.uses_neighbours) {
    problem.support = PointSupport(problem.material, problem.map, scene.order);
  }
  Solver solver(std::move(problem), scene.order);
  Receivers receivers(solver.mesh(), solver.basis(), solver.map(), {{"r", scene.receiver}},
                      solver.support());
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

// An explosion and a receiver that both have neighbours around them; with their cells alone the
// difference is 8e-3. Nothing comes back from the boundaries yet.
TEST(PointSource, with_its_neighbours_is_nearer_to_the_closed_form) {
  Scene scene;
  scene.order = 4;
  scene.size = 1.0 / 3.0;
  scene.count = {6, 6, 6};
  scene.moments = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  scene.receiver = {-0.62, 0.33, -0.25};
  scene.uses_neighbours = true;
  const Trace found = record(scene);
  EXPECT_LT(relative_difference(found, closed_form(scene, found.size())), 1.2e-3);
}

// Across a face between cells that both have neighbours around them, and one that only one of them
// has.
TEST(PointSource, with_its_neighbours_moves_smoothly) {
  for (const double face : {0.0, 0.5}) {
    Scene scene;
    scene.size = 0.5;
    scene.count = {4, 4, 4};
    scene.uses_neighbours = true;
    scene.source = {0.11, -0.07, 0.05};
    scene.receiver = {face, 0.3, -0.35};
    const Trace on = record(scene);
    scene.receiver[0] = face + 5e-7;
    EXPECT_LT(relative_difference(record(scene), on), 1e-4);
    scene.receiver = {0.3, 0.3, -0.35};
    scene.source[0] = face - 5e-7;
    const Trace below = record(scene);
    scene.source[0] = face + 5e-7;
    EXPECT_LT(relative_difference(record(scene), below), 1e-4);
  }
}

TEST(PointSupport, is_exact_for_polynomials) {
  for (int order = lowest_order; order <= highest_order; ++order) {
    const Basis basis(order);
    const int degree = std::min(2 * order + 1, 3 * order - 1);
    for (const double x : {-0.02, 0.3, 0.5, 1.0}) {
      const std::vector<double> factors = neighbour_values(basis, x);
      // Values are those of the L2 projection onto each cell, as the solver's are.
      const Quadrature rule = gauss_legendre(2 * basis.nodes());
      double found = 0.0;
      for (int cell = 0; cell < 3; ++cell) {
        for (std::size_t q = 0; q < rule.nodes.size(); ++q) {
          const double value = std::pow((cell - 1 + rule.nodes[q] - 0.5) / 1.5, degree);
          const std::vector<double> at = basis.values(rule.nodes[q]);
          for (int k = 0; k < basis.nodes(); ++k) {
            const auto node = static_cast<std::size_t>(k);
            found += factors[static_cast<std::size_t>(cell * basis.nodes()) + node] *
                     rule.weights[q] * value * at[node] / basis.weight(k);
          }
        }
      }
      EXPECT_NEAR(found, std::pow((x - 0.5) / 1.5, degree), 1e-9) << order << " at " << x;
    }
  }
}

// One cell with another material, or none where the domain ends: the cell alone, as without.
TEST(PointSupport, is_the_cell_alone_where_surroundings_differ) {
  RootGrid grid;
  grid.count = {5, 3, 3};
  const Mesh mesh = make_mesh(Spacetree(grid));
  const auto material = [](const Point& at) {
    return at[0] > 4.0 ? Material{1.0, 1.7, 0.8} : source_rock;
  };
  const PointSupport support(material, {}, 2);
  EXPECT_EQ(support.shares(mesh, {1.5, 1.5, 1.5}).size(), 27U);
  EXPECT_EQ(support.shares(mesh, {3.0, 1.5, 1.5}).size(), 28U);  // on a face
  for (const Point& point : {Point{3.5, 1.5, 1.5}, Point{0.5, 1.5, 1.5}, Point{1.5, 1.5, 2.5}}) {
    const std::vector<PointShare> shares = support.shares(mesh, point);
    ASSERT_EQ(shares.size(), 1U);
    EXPECT_FALSE(shares[0].is_among_neighbours);
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
