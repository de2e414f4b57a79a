// SPDX-License-Identifier: Apache-2.0
// Promise: polygons are cut into triangles in their plane, whatever their form; intersections are
// counted as they are.

#include <gtest/gtest.h>

#include "coarse/surface_diagnosis.hpp"
#include "coarse/surface_processing.hpp"
#include "read/polygon_surface.hpp"
#include "read/surface_check.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::polygon_test {
namespace {

double area(const std::vector<Point3>& points, const std::vector<Triangle>& triangles) {
  Point3 sum;
  double absolute = 0.0;
  for (const Triangle& t : triangles) {
    const Point3 twice =
        cross(points[t.point[1]] - points[t.point[0]], points[t.point[2]] - points[t.point[0]]);
    sum = sum + twice;
    absolute += 0.5 * norm(twice);
  }
  EXPECT_NEAR(0.5 * norm(sum), absolute, 1e-12) << "triangles that overlap or turn otherwise";
  return absolute;
}

std::string fault_of(const std::vector<Point3>& points, const std::vector<PointIndex>& corners) {
  std::vector<Triangle> triangles;
  return triangulate_polygon(points, corners, triangles);
}

TEST(TriangulatePolygon, cuts_concave_polygons_in_any_plane) {
  // The floor of an L from the corner at which a fan would leave it, turned about every axis.
  const std::vector<Point3> flat{{0, 2, 0}, {0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}};
  for (int turn = 0; turn < 6; ++turn) {
    std::vector<Point3> points;
    for (const Point3& p : flat) {
      const Point3 q = turn % 2 == 0 ? p : Point3{p.x, p.y, p.x + 0.5 * p.y};
      points.push_back(turn / 2 == 0   ? q
                       : turn / 2 == 1 ? Point3{q.y, q.z, q.x}
                                       : Point3{q.z, q.x, q.y});
    }
    for (std::size_t first = 0; first < 6; ++first) {
      std::vector<PointIndex> corners;
      for (std::size_t i = 0; i < 6; ++i) {
        corners.push_back(static_cast<PointIndex>((first + i) % 6));
      }
      std::vector<Triangle> triangles;
      EXPECT_EQ(triangulate_polygon(points, corners, triangles), "");
      EXPECT_EQ(triangles.size(), 4U);
      EXPECT_NEAR(area(points, triangles), turn % 2 == 0 ? 3.0 : 4.5, 1e-12);
    }
  }
}

TEST(TriangulatePolygon, keeps_corners_on_a_line) {
  const std::vector<Point3> points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
  std::vector<Triangle> triangles;
  EXPECT_EQ(triangulate_polygon(points, std::vector<PointIndex>{0, 1, 2, 3, 4}, triangles), "");
  EXPECT_EQ(triangles.size(), 3U);
  for (const Triangle& t : triangles) EXPECT_GT(area(points, {t}), 0.5);
}

TEST(TriangulatePolygon, leaves_holes_that_are_reached_by_an_edge) {
  const std::vector<Point3> points{{0, 0, 0}, {3, 0, 0}, {3, 3, 0}, {0, 3, 0},
                                   {1, 1, 0}, {1, 2, 0}, {2, 2, 0}, {2, 1, 0}};
  std::vector<Triangle> triangles;
  EXPECT_EQ(
      triangulate_polygon(points, std::vector<PointIndex>{0, 1, 2, 3, 0, 4, 5, 6, 7, 4}, triangles),
      "");
  EXPECT_NEAR(area(points, triangles), 8.0, 1e-12);
}

TEST(TriangulatePolygon, names_what_is_wrong) {
  const std::vector<Point3> points{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1.5, 0},
                                   {2, 0, 0}, {3, 0, 0}, {0, 0, 0}};
  EXPECT_TRUE(contains(fault_of(points, {0, 1, 2, 3}), "crosses"));
  EXPECT_TRUE(contains(fault_of(points, {0, 2, 4, 5}), "no area"));
  EXPECT_TRUE(contains(fault_of(points, {0, 2, 2, 3}), "twice"));
  EXPECT_TRUE(contains(fault_of(points, {0, 2, 3, 6}), "one place"));
}

TEST(FindFaults, counts_intersections_and_nothing_else) {
  EXPECT_EQ(find_faults(cube_surface(4)).intersecting_pairs, 0U);
  // A spike that leaves the cube through the opposite side crosses the two triangles there with
  // each of its own six.
  SurfaceMesh spike = cube_surface(1);
  PointIndex top = 0;
  for (PointIndex p = 0; p < 8; ++p) {
    if (spike.points[p] == Point3{1, 1, 1}) top = p;
  }
  spike.points[top] = {0.4, 0.3, -1.0};
  EXPECT_GT(find_faults(spike).intersecting_pairs, 0U);
  EXPECT_TRUE(contains(diagnose(spike).value_or(""), "intersects itself"));
  // Two crossing triangles and nothing else.
  SurfaceMesh two{{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0.5, 0.5, -1}, {0.5, 0.5, 1}, {3, 3, 0}},
                  {{{0, 1, 2}}, {{3, 4, 5}}}};
  EXPECT_EQ(find_faults(two).intersecting_pairs, 1U);
  two.triangles.push_back({{0, 1, 1}});
  EXPECT_EQ(find_faults(two).flat_triangles, 1U);
}

TEST(FindFaults, tells_overlapping_bodies_from_self_intersection) {
  SurfaceMesh bodies = cube_surface(1);
  append(bodies, cube_surface(1), 1.0, {0.5, 0.4, 0.3});
  EXPECT_TRUE(contains(diagnose(bodies).value_or(""), "bodies that overlap"));
  EXPECT_FALSE(diagnose(cube_surface(2)));
}

TEST(RemeshSurface, makes_good_triangles_and_keeps_sharp_edges) {
  const SurfaceMesh fine = check_surface(remesh_surface(cube_surface(1), 0.25, 45.0), "cube");
  EXPECT_NEAR(enclosed_volume(fine), 1.0, 1e-12);
  EXPECT_GT(fine.triangles.size(), 100U);
  EXPECT_EQ(find_faults(fine).intersecting_pairs, 0U);
}

}  // namespace
}  // namespace mesh_refine::test::polygon_test
