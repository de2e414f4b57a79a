// SPDX-License-Identifier: Apache-2.0
// Promise: prepare() turns a file into subdomains with uneven costs that refine to a correct mesh.

#include "pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test_meshes.hpp"
#include "verification.hpp"

namespace mesh_refine::test {
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

TEST(Prepare, MakesUnevenSubdomainsOfATetrahedralMesh) {
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

}  // namespace
}  // namespace mesh_refine::test
