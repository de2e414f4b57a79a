// SPDX-License-Identifier: Apache-2.0
// Promise: a closed surface is filled with tetrahedra that keep its triangles and its volume; a
// surface that cannot be filled, or a missing TetGen, gives one clear error; no file is left.

#include "coarse_mesh.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "external_program.hpp"
#include "surface_check.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test {
namespace {

SizeField uniform(double length) {
  SizeField size;
  size.smallest = size.largest = length;
  return size;
}

class CoarseMesh : public testing::Test {
 protected:
  void SetUp() override {
    // TetGen is an external program; scripts/bootstrap installs it, a build by hand may lack it.
    if (std::system("command -v tetgen >/dev/null 2>&1") != 0) GTEST_SKIP() << "no tetgen";
  }
};

TEST_F(CoarseMesh, KeepsVolumeAndTriangles) {
  const SurfaceMesh surface = check_surface(cube_surface(4), "cube.off");
  const TetMesh mesh = coarse_mesh(surface, "cube.off", uniform(0.15));
  EXPECT_NEAR(total_volume(mesh), 1.0, 1e-10);
  EXPECT_EQ(boundary_of(mesh).triangles.size(), surface.triangles.size());
}

TEST_F(CoarseMesh, LeavesVoidsEmpty) {
  SurfaceMesh hollow = cube_surface(4);
  SurfaceMesh inner = cube_surface(2);
  for (Triangle& t : inner.triangles) std::swap(t.point[0], t.point[1]);
  append(hollow, inner, 0.4, {0.3, 0.3, 0.3});
  const TetMesh mesh = coarse_mesh(check_surface(hollow, "hollow.off"), "hollow.off", uniform(0.2));
  EXPECT_NEAR(total_volume(mesh), 1.0 - 0.064, 1e-10);
}

TEST_F(CoarseMesh, RejectsSelfIntersection) {
  SurfaceMesh crossing = cube_surface(2);
  append(crossing, cube_surface(2), 1.0, {0.53, 0.41, 0.37});
  const SurfaceMesh checked = check_surface(crossing, "crossing.off");
  const std::string error =
      input_error_of([&] { (void)coarse_mesh(checked, "crossing.off", uniform(0.3)); });
  EXPECT_TRUE(contains(error, "crossing.off: found")) << error;
}

TEST_F(CoarseMesh, LeavesNothingBehind) {
  const Files files;
  const char* before = std::getenv("TMPDIR");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("TMPDIR", files.path().c_str(), 1);
  (void)coarse_mesh(cube_surface(2), "cube.off", uniform(0.3));
  saved.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", saved.c_str(), 1);
  EXPECT_TRUE(std::filesystem::is_empty(files.path()));
}

TEST(MissingTetgen, IsNamedWithARemedy) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  try {
    (void)coarse_mesh(cube_surface(2), "cube.off", uniform(0.3));
    ADD_FAILURE() << "no error";
  } catch (const MissingProgram& error) {
    EXPECT_TRUE(contains(error.what(), "apt-get install tetgen"));
    EXPECT_TRUE(contains(error.what(), ".mesh"));
  }
  ::setenv("PATH", path.c_str(), 1);
}

TEST(RunProgram, EndsAProgramThatTakesTooLong) {
  const Files files;
  const ProgramResult result =
      run_program({"sleep", "60"}, files.path() / "log", std::chrono::milliseconds(50), "");
  EXPECT_TRUE(result.timed_out);
}

}  // namespace
}  // namespace mesh_refine::test
