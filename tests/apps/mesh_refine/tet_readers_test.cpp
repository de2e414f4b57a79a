// SPDX-License-Identifier: Apache-2.0
// Promise: TetGen's and Medit's files give checked, positively oriented meshes; broken ones give
// one clear error.

#include <gtest/gtest.h>

#include "read/load_mesh.hpp"
#include "refine/predicates.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::tet_readers_test {
namespace {

const std::string five_points = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n";

TetMesh load_tets(const std::filesystem::path& file) { return std::get<TetMesh>(load_mesh(file)); }

std::string error_of(const std::filesystem::path& file) {
  return input_error_of([&] { (void)load_mesh(file); });
}

void expect_two_tets(const TetMesh& mesh) {
  ASSERT_EQ(mesh.points.size(), 5U);
  ASSERT_EQ(mesh.tets.size(), 2U);
  for (const Tetrahedron& t : mesh.tets) {
    EXPECT_GT(orient3d(mesh.points[t.point[0]], mesh.points[t.point[1]], mesh.points[t.point[2]],
                       mesh.points[t.point[3]]),
              0);
  }
  EXPECT_NEAR(total_volume(mesh), 1.0 / 6.0 + 1.0 / 3.0, 1e-15);
}

std::filesystem::path write_tetgen(Files& files, int first, const std::string& tets) {
  std::string nodes = "5 3 0 0 # header\n";
  std::istringstream lines(five_points);
  int index = first;
  for (std::string line; std::getline(lines, line);) {
    nodes += std::to_string(index++) + " " + line + "\n";
  }
  files.write("m.ele", tets);
  return files.write("m.node", nodes);
}

TEST(ReadTetgen, reads_either_numbering_and_orientation) {
  Files files;
  expect_two_tets(load_tets(write_tetgen(files, 0, "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n")));
  expect_two_tets(load_tets(write_tetgen(files, 1, "2 4 1\n1 1 2 3 4 7\n2 2 4 3 5 7\n")));
  EXPECT_EQ(load_tets(files.path() / "m.ele").tets.size(), 2U);
}

TEST(ReadTetgen, names_what_is_wrong) {
  Files files;
  EXPECT_TRUE(contains(error_of(write_tetgen(files, 0, "2 4 0\n0 0 1 2 3\n1 1 2 3 5\n")),
                       "m.ele:3: found '5'"));
  EXPECT_TRUE(contains(error_of(write_tetgen(files, 0, "2 10 0\n")), "'10'"));
  EXPECT_TRUE(contains(error_of(write_tetgen(files, 0, "2 4 0\n0 0 1 2 3\n")), "truncated"));
  EXPECT_TRUE(contains(error_of(write_tetgen(files, 0, "1 4 0\n0 0 1 2 2\n")), "zero volume"));
  EXPECT_TRUE(
      contains(error_of(write_tetgen(files, 0, "2 4 0\n0 0 1 2 3\n1 0 1 2 4\n")), "same side"));
  std::filesystem::remove(files.path() / "m.ele");
  EXPECT_TRUE(contains(error_of(files.path() / "m.node"), "m.ele: found no such file"));
}

TEST(CheckTetMesh, rejects_three_at_a_face) {
  TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0, 0, 2}},
               {{{0, 1, 2, 3}}, {{0, 1, 2, 4}}, {{0, 1, 2, 5}}}};
  EXPECT_TRUE(contains(input_error_of([&] { (void)check_tet_mesh(mesh, "x.mesh"); }), "third"));
}

TEST(ReadMedit, reads_and_skips_other_sections) {
  Files files;
  std::string vertices;
  std::istringstream lines(five_points);
  for (std::string line; std::getline(lines, line);) vertices += line + " 0\n";
  const std::string start = "MeshVersionFormatted 1\nDimension 3\nVertices 5\n" + vertices;
  expect_two_tets(load_tets(files.write(
      "m.mesh", start + "Triangles\n1\n1 2 3 0\nTetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n")));
  EXPECT_TRUE(contains(error_of(files.write("m.mesh", start + "End\n")), "no tetrahedra"));
  EXPECT_TRUE(
      contains(error_of(files.write("m.mesh", start + "Tetrahedra 1\n1 2 3 6 0\n")), "'6'"));
  EXPECT_TRUE(contains(error_of(files.write("m.mesh", "hello")), "MeshVersionFormatted"));
}

}  // namespace
}  // namespace mesh_refine::test::tet_readers_test
