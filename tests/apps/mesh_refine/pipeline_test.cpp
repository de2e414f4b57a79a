// SPDX-License-Identifier: Apache-2.0
// Promise: prepare() turns a file into subdomains with uneven costs that refine to a correct mesh.

#include "pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <sstream>

#include "check/verification.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::pipeline_test {
namespace {

std::string medit(const TetMesh& mesh) {
  std::string text =
      "MeshVersionFormatted 2\nDimension 3\nVertices " + std::to_string(mesh.points.size()) + "\n";
  for (const Point3& p : mesh.points) {
    text += std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + " 0\n";
  }
  text += "Tetrahedra " + std::to_string(mesh.tets.size()) + "\n";
  for (const Tetrahedron& t : mesh.tets) {
    for (const PointIndex p : t.point) text += std::to_string(p + 1) + " ";
    text += "0\n";
  }
  return text + "End\n";
}

TEST(Prepare, makes_uneven_subdomains_of_a_tetrahedral_mesh) {
  Files files;
  Parameters parameters = test_parameters();
  parameters.grading.elements = 30'000;
  parameters.partition.subdomains = 16;
  Problem problem = prepare(files.write("cube.mesh", medit(cube_mesh(10))), parameters);
  EXPECT_NEAR(problem.volume, 1.0, 1e-12);
  ASSERT_EQ(problem.subdomains.size(), 16U);
  Verifier verifier;
  std::vector<std::size_t> sizes;
  for (Subdomain& s : problem.subdomains) {
    s.refine(problem.size, parameters.refine);
    sizes.push_back(s.tets.size());
    verifier.add(s.statistics(), s.interface_faces());
  }
  EXPECT_TRUE(verifier.finish(16, problem.volume).passed());
  const auto [least, most] = std::ranges::minmax(sizes);
  EXPECT_GT(most, 3 * least);
}

/// A closed cylinder whose side is cut into triangles of its whole length.
std::string thin_faced_off() {
  constexpr int around = 24;
  std::ostringstream text;
  text << "OFF\n" << 2 * around + 2 << ' ' << 4 * around << " 0\n0 0 0\n4 0 0\n";
  for (int i = 0; i < around; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / around;
    for (const int x : {0, 4})
      text << x << ' ' << std::cos(angle) << ' ' << std::sin(angle) << '\n';
  }
  for (int i = 0; i < around; ++i) {
    const int a = 2 + 2 * i;
    const int b = 2 + 2 * ((i + 1) % around);
    text << "3 0 " << b << ' ' << a << "\n3 1 " << a + 1 << ' ' << b + 1 << "\n3 " << a << ' ' << b
         << ' ' << b + 1 << "\n3 " << a << ' ' << b + 1 << ' ' << a + 1 << '\n';
  }
  return text.str();
}

TEST(Prepare, remeshes_thin_faces_and_tells_what_it_does) {
  // TetGen is an external program; scripts/bootstrap installs it, a build by hand may lack it.
  if (std::system("command -v tetgen >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "TetGen is not installed";
  Files files;
  const auto file = files.write("thin.off", thin_faced_off());
  Parameters parameters = test_parameters();
  parameters.grading.elements = 5'000;
  parameters.partition.subdomains = 4;
  std::array<std::uint64_t, 2> slivers{};
  for (const bool remesh : {false, true}) {
    if (remesh) parameters.remesh.emplace();
    std::string steps;
    Problem problem =
        prepare(file, parameters, [&](const std::string& step) { steps += step + "\n"; });
    EXPECT_TRUE(contains(steps, " MiB\n")) << steps;
    EXPECT_EQ(contains(steps, "remeshed to "), remesh) << steps;
    EXPECT_GT(problem.tetgen_seconds, 0.0);
    EXPECT_EQ(problem.thin_triangles > 0.1, !remesh);
    EXPECT_NEAR(problem.volume, 4.0 * std::numbers::pi, 0.4);
    Verifier verifier;
    for (Subdomain& s : problem.subdomains) {
      s.refine(problem.size, parameters.refine);
      verifier.add(s.statistics(), s.interface_faces());
    }
    const MeshReport report = verifier.finish(problem.subdomains.size(), problem.volume);
    EXPECT_TRUE(report.passed());
    EXPECT_EQ(report.slivers == 0, report.smallest_dihedral_degrees >= sliver_degrees);
    slivers.at(remesh ? 1 : 0) = report.slivers;
  }
  EXPECT_GT(slivers[0], 0U);
  EXPECT_EQ(slivers[1], 0U);
}

TEST(Prepare, bounds_thin_bodies_and_says_what_they_would_take) {
  // TetGen as above.
  if (std::system("command -v tetgen >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "TetGen is not installed";
  Files files;
  std::string sheet = "OFF\n8 6 0\n";
  for (int i = 0; i < 8; ++i) {
    sheet += std::to_string(1000 * (i & 1)) + " " + std::to_string(250 * (i & 2)) + " " +
             (i >= 4 ? "0.01\n" : "0\n");
  }
  sheet += "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 1 3 7 5\n4 3 2 6 7\n4 2 0 4 6\n";
  Parameters parameters = test_parameters();
  parameters.grading.elements = 3'000;
  const Problem problem = prepare(files.write("sheet.off", sheet), parameters);
  EXPECT_LT(problem.coarse_tets, 9'000U);
  EXPECT_TRUE(contains(problem.note, "the body is thin")) << problem.note;
  EXPECT_TRUE(contains(problem.note, "+05 triangles")) << problem.note;
}

}  // namespace
}  // namespace mesh_refine::test::pipeline_test
