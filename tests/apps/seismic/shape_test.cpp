// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "fields.hpp"
#include "model/surface_grid.hpp"

namespace seismic::testing {
namespace {

/// A unit cube with a hilly horizon in the middle, periodic in x and y.
struct Hills {
  RootGrid grid;
  VerticalMap map;

  explicit Hills(int roots, int order, int refinement = 2) {
    grid.size = 1.0 / roots;
    grid.count = {roots, roots, roots};
    grid.refinement = refinement;
    grid.is_periodic = {true, true, false};
    const auto depth = [](double x, double y) {
      const double k = 2.0 * std::numbers::pi;
      return 0.5 + 0.06 * std::sin(k * x) * std::cos(k * y);
    };
    map = VerticalMap(grid, {{0.5, depth}}, order);
  }

  [[nodiscard]] Problem problem(bool is_refined, Boundary boundary) const {
    Spacetree tree(grid);
    if (is_refined) tree.divide({0, {0, 0, 0}});
    Problem result;
    result.mesh = make_mesh(tree);
    result.map = map;
    result.boundaries.fill(Boundary::periodic);
    result.boundaries[4] = result.boundaries[5] = boundary;
    result.material = [](const Point&) { return Material{1.3, 1.0, 0.57}; };
    return result;
  }
};

TEST(VerticalMap, finds_its_way_back) {
  const Hills hills(2, 4);
  for (const Point& point : {Point{0.1, 0.2, 0.3}, Point{0.7, 0.55, 0.9}, Point{0.3, 0.9, 0.0}}) {
    const double depth = hills.map.depth(point);
    EXPECT_NEAR(hills.map.reference({point[0], point[1], depth})[2], point[2], 1e-12);
  }
  EXPECT_LT(hills.map.reference({0.5, 0.5, -0.01})[2], 0.0) << "in the air";
  EXPECT_TRUE(hills.map.cuts({0.0, 0.0, 0.4}, 0.2));
  EXPECT_FALSE(hills.map.cuts({0.0, 0.0, 0.25}, 0.25));
}

TEST(VerticalMap, refuses_horizons_that_cross) {
  const Hills hills(2, 2);
  const auto deep = [](double, double) { return 2.0; };
  EXPECT_THROW(VerticalMap(hills.grid, {{0.5, deep}}, 2), std::invalid_argument);
}

// With a clamped top and bottom, constant stress is at rest, whatever the shape of cells.
TEST(Tilted, constant_stress_stays_at_rest) {
  for (const int refinement : {2, 3}) {
    Solver solver(Hills(2, 3, refinement).problem(true, Boundary::clamped), 3);
    const Values stress{0, 0, 0, 1, 2, 3, 4, 5, 6};
    set_field(solver, [&](const Point&) { return stress; });
    solver.set_step(solver.longest_step(0.9));
    solver.advance(20);
    EXPECT_LT(relative_error(solver, [&](const Point&) { return stress; }, {1.0, 1.0, 0.5}), 1e-12);
  }
}

class TiltedEnergy : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Orders, TiltedEnergy, ::testing::Values(1, 2, 4));

TEST_P(TiltedEnergy, never_grows) {
  for (const int refinement : {2, 3}) {
    Problem problem = Hills(2, GetParam(), refinement).problem(true, Boundary::free);
    problem.material = [](const Point& point) {
      return point[2] < 0.5 ? Material{1.0, 1.0, 0.5} : Material{3.0, 3.3, 1.9};
    };
    Solver solver(std::move(problem), GetParam());
    set_random(solver, 11);
    solver.set_step(solver.longest_step(0.9));
    double before = solver.energy();
    for (int step = 0; step < 60; ++step) {
      solver.advance(1);
      const double now = solver.energy();
      ASSERT_LE(now, before * (1.0 + 1e-12)) << "step " << step;
      before = now;
    }
  }
}

TEST(Tilted, plane_waves_converge) {
  const Material rock{1.3, 1.0, 0.57};
  const double k = 2.0 * std::numbers::pi, a = std::sqrt(0.5);
  const PlaneWave wave{rock, {k, 0.0, k}, {a, 0.0, a}, rock.p_speed};
  const int order = 3;
  double errors[2];
  for (int refined = 0; refined < 2; ++refined) {
    Hills hills(refined == 0 ? 4 : 8, order);
    hills.grid.is_periodic[2] = true;
    Solver solver(hills.problem(false, Boundary::periodic), order);
    const auto at_time = [&](double time) {
      return [&, time](const Point& point) {
        return wave.at({point[0], point[1], hills.map.depth(point)}, time);
      };
    };
    set_field(solver, at_time(0.0));
    const auto steps = static_cast<std::int64_t>(std::ceil(0.2 / solver.longest_step(0.9)));
    solver.set_step(0.2 / static_cast<double>(steps));
    solver.advance(steps);
    errors[refined] = relative_error(solver, at_time(solver.time()), rock);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), order + 1, 0.5) << errors[0];
}

TEST(SurfaceGrid, is_read_in_any_order_and_interpolated) {
  std::istringstream in("# x y elevation\n0 0 1\n10 0 3\n\n10 20 7\n0 20 5\n");
  const SurfaceGrid grid = SurfaceGrid::read(in);
  EXPECT_NEAR(grid.elevation(5.0, 10.0), 4.0, 1e-12);
  EXPECT_NEAR(grid.elevation(10.0, 20.0), 7.0, 1e-12);
  EXPECT_NEAR(grid.elevation(-3.0, 0.0), 1.0, 1e-12);
  EXPECT_TRUE(grid.covers(0, 10, 0, 20));
  EXPECT_FALSE(grid.covers(0, 11, 0, 20));
}

// Rows come from the north; elevations are those of areas, whose middles the corner leaves half an
// area to the south-west.
TEST(SurfaceGrid, is_read_from_an_esri_grid) {
  const std::string rest = "cellsize 10\nNODATA_value -9999\n5 7\n1\n3\n";
  std::istringstream corner("ncols 2\nnrows 2\nxllcorner -5\nyllcorner 15\n" + rest);
  std::istringstream center("NCOLS 2\nNROWS 2\nXLLCENTER 0\nYLLCENTER 20\n" + rest);
  const SurfaceGrid areas = SurfaceGrid::read(corner), points = SurfaceGrid::read(center);
  for (const SurfaceGrid& grid : {areas, points}) {
    EXPECT_NEAR(grid.elevation(0.0, 20.0), 1.0, 1e-12);
    EXPECT_NEAR(grid.elevation(10.0, 20.0), 3.0, 1e-12);
    EXPECT_NEAR(grid.elevation(10.0, 30.0), 7.0, 1e-12);
    EXPECT_NEAR(grid.elevation(5.0, 25.0), 4.0, 1e-12);
  }
  EXPECT_TRUE(areas.covers(-5, 15, 15, 35));
  EXPECT_FALSE(points.covers(-5, 15, 15, 35));
  EXPECT_TRUE(points.covers(0, 10, 20, 30));
}

TEST(SurfaceGrid, refuses_what_is_none) {
  for (const char* text : {"0 0 1\n10 0 3\n10 20 7\n", "0 0 1\n10 0 x\n", "0 0 1 2\n", "",
                           "0 0 1\n10 0 nan\n", "0 0 1\n10 0 3\n10 20 7\n10 20 7\n"}) {
    std::istringstream in(text);
    EXPECT_THROW(static_cast<void>(SurfaceGrid::read(in)), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace seismic::testing
