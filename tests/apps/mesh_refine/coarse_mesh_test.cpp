// SPDX-License-Identifier: Apache-2.0
// Promise: a closed surface is filled with tetrahedra that keep its triangles and its volume; a
// surface that cannot be filled, or a missing TetGen, gives one clear error; no file is left.

#include "coarse/coarse_mesh.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstdlib>

#include "coarse/external_program.hpp"
#include "coarse/preparation_error.hpp"
#include "read/surface_check.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::coarse_mesh_test {
namespace {

SizeField uniform(double length) {
  SizeField size;
  size.smallest = size.largest = length;
  return size;
}

class FillSurface : public testing::Test {
 protected:
  void SetUp() override {
    // TetGen is an external program; scripts/bootstrap installs it, a build by hand may lack it.
    if (std::system("command -v tetgen >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "TetGen is not installed";
  }
};

TEST_F(FillSurface, keeps_volume_and_triangles) {
  const SurfaceMesh surface = check_surface(cube_surface(4), "cube.off");
  const CoarseMesh filled = coarse_mesh(surface, surface, "cube.off", uniform(0.15));
  EXPECT_GT(filled.tetgen_seconds, 0.0);
  EXPECT_GT(filled.tetgen_bytes, 1'000'000U);
  const TetMesh& mesh = filled.mesh;
  EXPECT_NEAR(total_volume(mesh), 1.0, 1e-10);
  EXPECT_EQ(boundary_of(mesh).triangles.size(), surface.triangles.size());
}

TEST_F(FillSurface, leaves_voids_empty) {
  SurfaceMesh hollow = cube_surface(4);
  SurfaceMesh inner = cube_surface(2);
  for (Triangle& t : inner.triangles) std::swap(t.point[0], t.point[1]);
  append(hollow, inner, 0.4, {0.3, 0.3, 0.3});
  const SurfaceMesh checked = check_surface(hollow, "hollow.off");
  const TetMesh mesh = coarse_mesh(checked, checked, "hollow.off", uniform(0.2)).mesh;
  EXPECT_NEAR(total_volume(mesh), 1.0 - 0.064, 1e-10);
}

std::string error_of(const SurfaceMesh& surface) {
  const SurfaceMesh checked = check_surface(surface, "x.off");
  return input_error_of([&] { (void)coarse_mesh(checked, checked, "x.off", uniform(0.3)); });
}

TEST_F(FillSurface, names_self_intersections_and_overlapping_bodies) {
  SurfaceMesh overlapping = cube_surface(2);
  append(overlapping, cube_surface(2), 1.0, {0.53, 0.41, 0.37});
  const std::string bodies = error_of(overlapping);
  EXPECT_TRUE(contains(bodies, "x.off: found bodies that overlap or touch, ")) << bodies;
  SurfaceMesh spike = cube_surface(2);
  for (Point3& p : spike.points) {
    if (p == Point3{1, 1, 1}) p = {0.2, 0.3, -0.7};
  }
  EXPECT_TRUE(contains(error_of(spike), "a surface that intersects itself, ")) << error_of(spike);
}

TEST_F(FillSurface, leaves_nothing_behind) {
  const Files files;
  const Environment environment("TMPDIR", files.path().string());
  const SurfaceMesh cube = cube_surface(2);
  (void)coarse_mesh(cube, cube, "cube.off", uniform(0.3));
  EXPECT_TRUE(std::filesystem::is_empty(files.path()));
}

/// As on a full disk: no file of this process and those it starts may grow beyond a size.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

std::string preparation_error_of(const SurfaceMesh& surface) {
  try {
    (void)coarse_mesh(surface, surface, "x.off", uniform(0.1));
    return "no error";
  } catch (const PreparationError& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another error: ") + error.what();
  }
}

TEST_F(FillSurface, blames_a_full_disk_for_what_is_its_fault) {
  const SurfaceMesh cube = cube_surface(4);
  for (const rlim_t bytes : {1000, 8000}) {  // TetGen's input, its output
    const FileSizeLimit full(bytes);
    const std::string error = preparation_error_of(cube);
    EXPECT_TRUE(contains(error, "have no room in ")) << error;
    EXPECT_TRUE(contains(error, "set TMPDIR")) << error;
  }
  const Environment environment("TMPDIR", "/nowhere");
  EXPECT_TRUE(contains(preparation_error_of(cube), "set TMPDIR")) << preparation_error_of(cube);
}

TEST(MissingTetgen, is_named_with_a_remedy) {
  const Environment environment("PATH", "/nowhere");
  const std::string error = preparation_error_of(cube_surface(2));
  EXPECT_TRUE(contains(error, "apt-get install tetgen")) << error;
  EXPECT_TRUE(contains(error, ".mesh")) << error;
}

TEST(RunProgram, ends_a_program_that_takes_too_long) {
  const TemporaryDirectory directory;
  const ProgramResult result =
      run_program({"sleep", "60"}, directory, std::chrono::milliseconds(50), "");
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_status, 128 + SIGKILL);
  EXPECT_LT(result.seconds, 30.0);
}

TEST(RunProgram, gives_status_and_output) {
  const TemporaryDirectory directory;
  const ProgramResult result = run_program({"sh", "-c", "echo one; echo two >&2; exit 5"},
                                           directory, std::chrono::seconds(30), "");
  EXPECT_EQ(result.exit_status, 5);
  EXPECT_EQ(result.output, "one\ntwo\n");
}

}  // namespace
}  // namespace mesh_refine::test::coarse_mesh_test
