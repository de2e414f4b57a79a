// SPDX-License-Identifier: Apache-2.0
// Promise: check_surface lets closed oriented surfaces through, repairs orientations that can be
// repaired and rejects everything that does not enclose a body.

#include "read/surface_check.hpp"

#include <gtest/gtest.h>

#include "coarse/surface_subdivision.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::surface_check_test {
namespace {

std::string error_of(const SurfaceMesh& mesh) {
  return input_error_of([&] { (void)check_surface(mesh, "x.off"); });
}

void flip(Triangle& t) { std::swap(t.point[0], t.point[1]); }

TEST(CheckSurface, keeps_a_good_surface) {
  const SurfaceMesh cube = cube_surface(3);
  const SurfaceMesh checked = check_surface(cube, "x.off");
  EXPECT_EQ(checked.triangles, cube.triangles);
  EXPECT_NEAR(enclosed_volume(checked), 1.0, 1e-14);
}

TEST(CheckSurface, rejects_open_and_branching_surfaces) {
  SurfaceMesh open = cube_surface(2);
  open.triangles.pop_back();
  EXPECT_TRUE(contains(error_of(open), "open surface"));
  SurfaceMesh branching = cube_surface(2);
  branching.triangles.push_back({{branching.triangles[0].point[0], branching.triangles[0].point[1],
                                  branching.triangles[9].point[2]}});
  EXPECT_TRUE(contains(error_of(branching), "surface"));
  EXPECT_NE(error_of(branching), "no error");
  EXPECT_TRUE(contains(error_of({}), "0 triangles"));
}

TEST(CheckSurface, turns_triangles_to_the_majority) {
  SurfaceMesh mixed = cube_surface(3);
  for (std::size_t i = 0; i < mixed.triangles.size(); i += 3) flip(mixed.triangles[i]);
  EXPECT_NEAR(enclosed_volume(check_surface(mixed, "x.off")), 1.0, 1e-14);
}

TEST(CheckSurface, turns_a_body_that_is_inside_out) {
  SurfaceMesh inverted = cube_surface(2);
  for (Triangle& t : inverted.triangles) flip(t);
  append(inverted, cube_surface(1), 1.0, {5, 0, 0});
  EXPECT_NEAR(enclosed_volume(check_surface(inverted, "x.off")), 2.0, 1e-14);
}

TEST(CheckSurface, keeps_voids) {
  SurfaceMesh hollow = cube_surface(2);
  SurfaceMesh inner = cube_surface(1);
  for (Triangle& t : inner.triangles) flip(t);
  append(hollow, inner, 0.5, {0.25, 0.25, 0.25});
  EXPECT_NEAR(enclosed_volume(check_surface(hollow, "x.off")), 0.875, 1e-14);
}

TEST(CheckSurface, rejects_a_body_inside_another) {
  SurfaceMesh nested = cube_surface(2);
  append(nested, cube_surface(1), 0.5, {0.25, 0.25, 0.25});
  EXPECT_TRUE(contains(error_of(nested), "a body inside another one"));
}

TEST(CheckSurface, keeps_a_body_within_a_void) {
  SurfaceMesh nested = cube_surface(2);
  SurfaceMesh inner = cube_surface(1);
  for (Triangle& t : inner.triangles) flip(t);
  append(nested, inner, 0.5, {0.25, 0.25, 0.25});
  append(nested, cube_surface(1), 0.25, {0.375, 0.375, 0.375});
  EXPECT_NEAR(enclosed_volume(check_surface(nested, "x.off")), 0.875 + 1.0 / 64.0, 1e-14);
}

TEST(CheckSurface, turns_a_body_beside_another_that_reaches_around_it) {
  // Two cubes far apart, joined to one shell, reach around a third that is inside out between them.
  SurfaceMesh bodies = cube_surface(1);
  append(bodies, cube_surface(1), 1.0, {9, 9, 9});
  std::swap(bodies.triangles[0].point[0], bodies.triangles[12].point[0]);
  std::swap(bodies.triangles[0].point[1], bodies.triangles[12].point[1]);
  std::swap(bodies.triangles[0].point[2], bodies.triangles[12].point[2]);
  SurfaceMesh inner = cube_surface(1);
  for (Triangle& t : inner.triangles) flip(t);
  append(bodies, inner, 1.0, {2, 5, 7});
  EXPECT_NEAR(enclosed_volume(check_surface(bodies, "x.off")), 3.0, 1e-13);
}

TEST(CheckSurface, names_triangles_that_are_there_twice) {
  SurfaceMesh twice = cube_surface(1);
  twice.triangles.push_back(twice.triangles[3]);
  EXPECT_TRUE(contains(error_of(twice), "1 triangle(s) more than once")) << error_of(twice);
}

TEST(CheckSurface, rejects_a_surface_that_cannot_be_oriented) {
  // The projective plane with six points.
  SurfaceMesh plane;
  for (int i = 0; i < 6; ++i) plane.points.push_back({1.0 * i, 1.0 * i * i, 1.0 * i * i * i});
  plane.triangles = {{{0, 1, 2}}, {{0, 2, 3}}, {{0, 3, 4}}, {{0, 4, 5}}, {{0, 5, 1}},
                     {{1, 2, 4}}, {{2, 3, 5}}, {{3, 4, 1}}, {{4, 5, 2}}, {{5, 1, 3}}};
  EXPECT_TRUE(contains(error_of(plane), "cannot be oriented"));
}

TEST(CheckSurface, rejects_a_flat_surface) {
  SurfaceMesh flat = cube_surface(2);
  for (Point3& p : flat.points) p.z = 0.0;
  EXPECT_TRUE(contains(error_of(flat), "no volume"));
}

TEST(CheckSurface, drops_points_that_nobody_uses) {
  SurfaceMesh cube = cube_surface(1);
  cube.points.insert(cube.points.begin(), Point3{9, 9, 9});
  for (Triangle& t : cube.triangles) {
    for (PointIndex& p : t.point) ++p;
  }
  EXPECT_EQ(check_surface(cube, "x.off").points.size(), 8U);
}

TEST(SubdivideSurface, keeps_the_shape_and_reaches_the_length) {
  SizeField size;
  size.smallest = 0.1;
  size.growth = 0.2;
  size.largest = 0.3;
  const SurfaceMesh fine = check_surface(*subdivide_surface(cube_surface(1), size, 1.5), "x.off");
  EXPECT_NEAR(enclosed_volume(fine), 1.0, 1e-14);
  EXPECT_GT(fine.triangles.size(), 100U);
  for (const Triangle& t : fine.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Point3& a = fine.points[t.point[i]];
      const Point3& b = fine.points[t.point[(i + 1) % 3]];
      EXPECT_LE(norm(b - a), 1.5 * size.at(0.5 * (a + b)));
    }
  }
}

TEST(SubdivideSurface, gives_up_where_it_would_not_end) {
  SizeField size;
  size.smallest = size.largest = 1e-9;
  EXPECT_FALSE(subdivide_surface(cube_surface(1), size, 1.0, 5000));
}

TEST(SubdivideWithin, enlarges_the_lengths_and_says_what_they_would_take) {
  SurfaceMesh sheet = cube_surface(1);
  for (Point3& p : sheet.points) p = {500.0 * p.x, 250.0 * p.y, 0.01 * p.z};
  SurfaceMesh rod = cube_surface(1);
  for (Point3& p : rod.points) p = {2e3 * p.x, 0.01 * p.y, 0.01 * p.z};
  SizeField size;
  size.smallest = size.largest = 5.0;
  for (const SurfaceMesh& body : {sheet, rod}) {
    const BoundedSubdivision cut = subdivide_within(body, size, 1.0, 3000);
    EXPECT_LE(cut.surface.triangles.size(), 3012U);
    EXPECT_GT(cut.surface.triangles.size(), 700U);
    EXPECT_GT(cut.enlargement, 2.0);
    EXPECT_NEAR(cut.size.smallest, cut.enlargement * size.smallest, 1e-9);
    const double wanted = static_cast<double>(subdivide_surface(body, size, 1.0)->triangles.size());
    EXPECT_GT(cut.wanted_triangles, 0.4 * wanted);
    EXPECT_LT(cut.wanted_triangles, 2.5 * wanted);
  }
  EXPECT_EQ(subdivide_within(cube_surface(1), size, 1.0, 3000).enlargement, 1.0);
}

}  // namespace
}  // namespace mesh_refine::test::surface_check_test
