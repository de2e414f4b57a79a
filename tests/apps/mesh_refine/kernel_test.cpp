// SPDX-License-Identifier: Apache-2.0
// Promise: predicates are exact; the operations on a complex keep it a complex: mutual neighbours,
// strictly positive orientation, the same volume and the same outer faces.

#include <gtest/gtest.h>

#include "check/compensated_sum.hpp"
#include "refine/cavity.hpp"
#include "refine/predicates.hpp"
#include "refine/smoothing.hpp"
#include "refine/swapping.hpp"
#include "refine/tet_shape.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::kernel_test {
namespace {

TEST(Predicates, are_exact) {
  // One unit in the last place above a plane that is not aligned with the axes.
  const Point3 a{0.1, 0.1, 0.1}, b{0.7, 0.1, 0.7}, c{0.1, 0.7, 0.1};
  const double z = 0.3;
  const Point3 on{z, 0.2, z};
  const Point3 above{z, 0.2, std::nextafter(z, 1.0)};
  const Point3 below{z, 0.2, std::nextafter(z, 0.0)};
  EXPECT_EQ(orient3d(a, b, c, on), 0);
  EXPECT_EQ(orient3d(a, b, c, above), 1);
  EXPECT_EQ(orient3d(a, b, c, below), -1);
}

TEST(Predicates, know_the_sphere) {
  const Point3 a{0, 0, 0}, b{1, 0, 0}, c{0, 1, 0}, d{0, 0, 1};
  EXPECT_EQ(orient3d(a, b, c, d), 1);
  EXPECT_EQ(insphere(a, b, c, d, {1, 1, 1}), 0);
  EXPECT_EQ(insphere(a, b, c, d, {1, 1, std::nextafter(1.0, 0.0)}), 1);
  EXPECT_EQ(insphere(a, b, c, d, {1, 1, std::nextafter(1.0, 2.0)}), -1);
}

TEST(TetShape, of_the_regular_tetrahedron) {
  const TetShape shape = measure_tet({1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1});
  EXPECT_NEAR(shape.quality, 1.0, 1e-14);
  EXPECT_NEAR(shape.circumradius, std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(shape.shortest_edge, std::sqrt(8.0), 1e-14);
  EXPECT_NEAR(radius_ratio({1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}), 1.0, 1e-14);
  const DihedralAngles angles =
      dihedral_angles({{{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}}});
  EXPECT_NEAR(angles.smallest, 70.528779365509308, 1e-10);
  EXPECT_NEAR(angles.largest, 70.528779365509308, 1e-10);
}

TEST(TetShape, of_an_inverted_tetrahedron_is_zero) {
  EXPECT_EQ(radius_ratio({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}), 0.0);
}

void expect_sound(const TetComplex& complex, double volume) {
  CompensatedSum sum;
  for (TetIndex t = 0; t < complex.slots(); ++t) {
    const TetComplex::Cell& cell = complex.cell(t);
    if (!cell.alive) continue;
    ASSERT_GT(orient3d(complex.corner(t, 0), complex.corner(t, 1), complex.corner(t, 2),
                       complex.corner(t, 3)),
              0);
    EXPECT_EQ(cell.quality, radius_ratio(complex.corner(t, 0), complex.corner(t, 1),
                                         complex.corner(t, 2), complex.corner(t, 3)));
    sum.add(signed_volume(complex.corner(t, 0), complex.corner(t, 1), complex.corner(t, 2),
                          complex.corner(t, 3)));
    for (std::size_t f = 0; f < 4; ++f) {
      const TetIndex other = cell.neighbour[f];
      if (other == no_tet) continue;
      ASSERT_TRUE(complex.cell(other).alive);
      const auto key = sorted_corners(face_corners(Tetrahedron{cell.point}, f));
      bool mutual = false;
      for (std::size_t g = 0; g < 4; ++g) {
        mutual = mutual ||
                 (complex.cell(other).neighbour[g] == t &&
                  sorted_corners(face_corners(Tetrahedron{complex.cell(other).point}, g)) == key);
      }
      ASSERT_TRUE(mutual);
    }
  }
  EXPECT_NEAR(sum.value(), volume, 1e-12);
}

TetComplex cube_complex(std::uint32_t cells) {
  const TetMesh mesh = cube_mesh(cells);
  return {mesh.points, mesh.tets};
}

/// Points in (0, 1)^3, the same in every run.
Point3 quasi_random(int i) {
  const double a = 0.5 + 0.8191725133961645 * i;
  const double b = 0.5 + 0.6710436067037893 * i;
  const double c = 0.5 + 0.5497004779019703 * i;
  return {a - std::floor(a), b - std::floor(b), c - std::floor(c)};
}

void insert_points(TetComplex& complex, int count) {
  Cavity cavity;
  for (int i = 1; i <= count; ++i) {
    const Point3 p = quasi_random(i);
    TetIndex start = 0;
    while (!complex.cell(start).alive) ++start;
    const TetIndex base = complex.locate(start, p);
    ASSERT_NE(base, no_tet);
    ASSERT_TRUE(cavity.dig(complex, base, p));
    (void)cavity.fill(complex);
  }
}

TEST(Cavity, keeps_the_complex_sound) {
  TetComplex complex = cube_complex(3);
  insert_points(complex, 500);
  expect_sound(complex, 1.0);
}

TEST(Cavity, refuses_a_point_on_a_fixed_face) {
  const TetComplex complex = cube_complex(1);
  const Point3 on_surface{0.3, 0.2, 0.0};
  const TetIndex base = complex.locate(0, on_surface);
  ASSERT_NE(base, no_tet);
  Cavity cavity;
  EXPECT_FALSE(cavity.dig(complex, base, on_surface));
}

TEST(Locate, stops_at_the_boundary) {
  EXPECT_EQ(cube_complex(2).locate(0, {0.5, 0.5, 1.5}), no_tet);
}

TEST(SwappingAndSmoothing, keep_the_complex_sound_and_raise_the_quality) {
  TetComplex complex = cube_complex(3);
  insert_points(complex, 500);
  const auto mean_quality = [&] {
    double sum = 0.0;
    int count = 0;
    for (TetIndex t = 0; t < complex.slots(); ++t) {
      if (!complex.cell(t).alive) continue;
      sum += complex.cell(t).quality;
      ++count;
    }
    return sum / count;
  };
  const double before = mean_quality();
  Swapping swapping(complex);
  EXPECT_GT(swapping.run(0.7), 0U);
  expect_sound(complex, 1.0);
  EXPECT_GT(smooth(complex, 64, 0.7), 0U);
  expect_sound(complex, 1.0);
  EXPECT_GT(swapping.run(0.7), 0U);
  expect_sound(complex, 1.0);
  EXPECT_GT(mean_quality(), before);
  for (PointIndex p = 0; p < 64; ++p) {
    EXPECT_EQ(complex.point(p), cube_mesh(3).points[p]);  // these were declared fixed
  }
}

}  // namespace
}  // namespace mesh_refine::test::kernel_test
