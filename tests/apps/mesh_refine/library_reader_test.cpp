// SPDX-License-Identifier: Apache-2.0
// Promise: files of VTK's formats, Gmsh and others, text and binary, give the same
// checked meshes as any other; broken ones give one clear error; a missing library is named with a
// remedy.

#include "read/library_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "coarse/preparation_error.hpp"
#include "read/load_mesh.hpp"
#include "read/surface_check.hpp"
#include "show/mesh_output.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::library_reader_test {
namespace {

const std::string five_points = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n";

/// Python's VTK and meshio are optional; scripts/bootstrap installs them.
class ReadByLibrary : public testing::Test {
 protected:
  void SetUp() override {
    static const bool has_libraries =
        std::system("/usr/bin/python3 -c 'import meshio, vtkmodules' >/dev/null 2>&1") == 0;
    if (!has_libraries) GTEST_SKIP() << "meshio or VTK for Python is not installed";
  }

  void expect_two_tets(const std::string& name, const std::string& content) {
    try {
      const TetMesh mesh = std::get<TetMesh>(load_mesh(files.write(name, content)));
      EXPECT_EQ(mesh.points.size(), 5U) << name;
      EXPECT_EQ(mesh.tets.size(), 2U) << name;
      EXPECT_NEAR(total_volume(mesh), 1.0 / 6.0 + 1.0 / 3.0, 1e-15) << name;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }

  void expect_refused(const std::string& name, const std::string& content,
                      const std::string& found) {
    const auto file = files.write(name, content);
    const std::string error = input_error_of([&] { (void)load_mesh(file); });
    EXPECT_TRUE(contains(error, name + ": found ")) << error;
    EXPECT_TRUE(contains(error, found)) << error;
    EXPECT_TRUE(contains(error, "; expected ")) << error;
    EXPECT_FALSE(contains(error, "\n")) << error;
  }

  Files files;
  // The system's Python, which has the packages, without a detour over another one.
  Environment path{"PATH", std::string("/usr/bin:") + std::getenv("PATH")};
};

/// The bytes of a value, most significant first, as VTK's binary files have them.
template <class T>
std::string big_endian(std::initializer_list<T> values) {
  std::string bytes;
  for (const T& value : values) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof value);
    std::ranges::reverse(one);
    bytes += one;
  }
  return bytes;
}

const std::string vtk_start = "# vtk DataFile Version 3.0\ntitle\n";
const std::string vtk_text = vtk_start + "ASCII\nDATASET UNSTRUCTURED_GRID\n";

TEST_F(ReadByLibrary, reads_vtk_text_with_fields_before_the_points) {
  const std::string points = "POINTS 5 double\n" + five_points;
  const std::string cells = "CELLS 3 13\n4 0 1 2 3\n4 1 2 3 4\n2 0 1\nCELL_TYPES 3\n10\n10\n3\n";
  expect_two_tets("a.vtk", vtk_text + points + cells);
  expect_two_tets("b.vtk",
                  vtk_text + "FIELD FieldData 1\nTIME 1 1 double\n1E-400\n" + points + cells);
}

TEST_F(ReadByLibrary, reads_vtk_binary) {
  expect_two_tets("a.vtk", vtk_start + "BINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n" +
                               big_endian<double>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}) +
                               "\nCELLS 2 10\n" +
                               big_endian<std::int32_t>({4, 0, 1, 2, 3, 4, 1, 2, 3, 4}) +
                               "\nCELL_TYPES 2\n" + big_endian<std::int32_t>({10, 10}) + "\n");
}

TEST_F(ReadByLibrary, reads_polygons_of_vtk) {
  const auto file =
      files.write("p.vtk", vtk_start +
                               "ASCII\nDATASET POLYDATA\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\n"
                               "POLYGONS 4 16\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n");
  EXPECT_NEAR(enclosed_volume(std::get<SurfaceMesh>(load_mesh(file))), 1.0 / 6.0, 1e-15);
}

TEST_F(ReadByLibrary, reads_what_this_program_writes) {
  const TetMesh cube = cube_mesh(2);
  OutputMesh output{cube.points, cube.tets, {}, {}, {}};
  output.subdomain.resize(cube.tets.size());
  output.rank.resize(cube.tets.size());
  output.quality.resize(cube.tets.size());
  const auto file = files.path() / "own.vtu";
  write_vtu(output, file);
  const TetMesh mesh = std::get<TetMesh>(load_mesh(file));
  EXPECT_EQ(mesh.tets, cube.tets);
  EXPECT_EQ(mesh.points, cube.points);
}

TEST_F(ReadByLibrary, reads_Gmsh) {
  expect_two_tets("a.msh",
                  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
                  "4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n3\n1 2 2 0 1 1 2 3\n2 4 2 0 1 1 2 3 4\n"
                  "3 4 2 0 1 2 3 4 5\n$EndElements\n");
}

TEST_F(ReadByLibrary, names_what_vtk_cannot_use) {
  const std::string points = vtk_text + "POINTS 5 double\n" + five_points;
  expect_refused("truncated.vtk", points + "CELLS 1 5\n4 0 1 2 3\n", "no tetrahedra");
  expect_refused("pyramid.vtk", points + "CELLS 1 6\n5 0 1 2 3 4\nCELL_TYPES 1\n14\n",
                 "VTK's type 14");
  expect_refused("field.vtk", vtk_text + "FIELD", "found ");  // some versions of VTK crash
  expect_refused("image.vtk",
                 vtk_start +
                     "ASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 2\n"
                     "ORIGIN 0 0 0\nSPACING 1 1 1\n",
                 "vtkStructuredPoints");
  expect_refused("cut.vtu",
                 "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\">\n<UnstructuredGrid>\n",
                 "VTK cannot read");
}

TEST_F(ReadByLibrary, names_what_meshio_cannot_use) {
  expect_refused("other.msh", "hello", "meshio cannot read");
  expect_refused("index.msh",
                 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n"
                 "1\n1 4 2 0 1 1 2 3 4\n$EndElements\n",
                 "found ");
}

TEST(MissingLibrary, is_named_with_a_remedy) {
  // A python3 that lacks every library, and does not know of the system's.
  const Files files;
  const auto python = files.path() / "python3";
  std::ofstream(python) << "#!/bin/sh\necho meshio\nexit 3\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  std::ofstream(files.path() / "a.msh") << "hello";
  for (const auto& [places, expected] :
       {std::pair<std::string, std::string>{files.path().string(),
                                            "apt-get install python3-meshio"},
        {"/nowhere", "apt-get install python3)"}}) {
    const Environment environment("PATH", places);
    try {
      (void)load_mesh(files.path() / "a.msh");
      ADD_FAILURE() << "no error";
    } catch (const PreparationError& error) {
      EXPECT_TRUE(contains(error.what(), expected)) << error.what();
    }
  }
}

}  // namespace
}  // namespace mesh_refine::test::library_reader_test
