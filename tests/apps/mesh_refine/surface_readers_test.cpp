// SPDX-License-Identifier: Apache-2.0
// Promise: a readable surface file gives its triangles; any other gives one error that names the
// file, the line, what was found and what is allowed.

#include <gtest/gtest.h>

#include <cstring>

#include "load_mesh.hpp"
#include "surface_check.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test {
namespace {

const std::string tetrahedron_off =
    "OFF\n# a comment\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
    "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";

SurfaceMesh load_surface(const std::filesystem::path& file) {
  return std::get<SurfaceMesh>(load_mesh(file));
}

std::string error_of(Files& files, const std::string& name, const std::string& content) {
  const auto file = files.write(name, content);
  return input_error_of([&] { (void)load_surface(file); });
}

TEST(ReadOff, ReadsTriangles) {
  Files files;
  const SurfaceMesh mesh = load_surface(files.write("a.off", tetrahedron_off));
  EXPECT_EQ(mesh.points.size(), 4U);
  EXPECT_EQ(mesh.triangles.size(), 4U);
  EXPECT_NEAR(enclosed_volume(mesh), 1.0 / 6.0, 1e-15);
}

TEST(ReadOff, CutsPolygonsAndSkipsColours) {
  Files files;
  const std::string cube =
      "COFF 8 6 0\n0 0 0 255 0 0\n1 0 0 255 0 0\n1 1 0 1 1 1\n0 1 0 1 1 1\n0 0 1 1 1 1\n"
      "1 0 1 1 1 1\n1 1 1 1 1 1\n0 1 1 1 1 1\n4 0 3 2 1 9 9 9\n4 4 5 6 7\n4 0 1 5 4\n"
      "4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";
  EXPECT_NEAR(enclosed_volume(load_surface(files.write("c.off", cube))), 1.0, 1e-15);
}

TEST(ReadOff, NamesWhatIsWrong) {
  Files files;
  EXPECT_TRUE(contains(error_of(files, "a.off", "PLY\n"), "a.off:1: found 'PLY'"));
  EXPECT_TRUE(contains(error_of(files, "a.off", ""), "empty"));
  EXPECT_TRUE(contains(error_of(files, "a.off", "OFF\n4 4 0\n0 0 0\n1 0"), "truncated"));
  EXPECT_TRUE(contains(error_of(files, "a.off", "OFF\n4 4 0\n0 0 0\n1 nan 0\n"), "a.off:4"));
  EXPECT_TRUE(contains(error_of(files, "a.off", "OFF\n4 4 0\n0 0 0\n1 1e400 0\n"), "finite"));
  EXPECT_TRUE(contains(error_of(files, "a.off", "OFF\n4 4 0\n0 0 0\n1 1e99 0\n"), "1e30"));
  EXPECT_TRUE(contains(error_of(files, "a.off", "OFF\n99999999999 4 0\n"), "number of points"));
  std::string broken = tetrahedron_off;
  broken.replace(broken.find("3 0 3 2"), 7, "3 0 3 7");
  EXPECT_TRUE(contains(error_of(files, "a.off", broken), "'7'; expected a point index"));
  broken = tetrahedron_off;
  broken.replace(broken.find("3 0 3 2"), 7, "3 0 3 3");
  EXPECT_TRUE(contains(error_of(files, "a.off", broken), "twice"));
}

TEST(LoadMesh, NamesMissingFilesAndUnknownFormats) {
  Files files;
  EXPECT_TRUE(contains(input_error_of([&] { (void)load_mesh(files.path() / "none.off"); }),
                       "no such file"));
  EXPECT_TRUE(contains(input_error_of([&] { (void)load_mesh(files.path()); }), "regular file"));
  const auto text = files.write("a.docx", "hello");
  EXPECT_TRUE(contains(input_error_of([&] { (void)load_mesh(text); }), "extension '.docx'"));
}

std::string text_stl(const SurfaceMesh& mesh) {
  std::string text = "solid thing\n";
  for (const Triangle& t : mesh.triangles) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const PointIndex p : t.point) {
      const Point3& x = mesh.points[p];
      text += "  vertex " + std::to_string(x.x) + " " + std::to_string(x.y) + " " +
              std::to_string(x.z) + "\n";
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid thing\n";
}

std::string binary_stl(const SurfaceMesh& mesh) {
  std::string bytes(80, ' ');
  std::memcpy(bytes.data(), "solid", 5);  // as some writers do
  const auto put = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const Triangle& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) put(0.0F);
    for (const PointIndex p : t.point) {
      put(static_cast<float>(mesh.points[p].x));
      put(static_cast<float>(mesh.points[p].y));
      put(static_cast<float>(mesh.points[p].z));
    }
    put(std::uint16_t{0});
  }
  return bytes;
}

TEST(ReadStl, MergesEqualPointsInBothForms) {
  Files files;
  const SurfaceMesh cube = cube_surface(4);
  for (const std::string& content : {text_stl(cube), binary_stl(cube)}) {
    const SurfaceMesh mesh = load_surface(files.write("a.stl", content));
    EXPECT_EQ(mesh.points.size(), cube.points.size());
    EXPECT_EQ(mesh.triangles.size(), cube.triangles.size());
    EXPECT_NEAR(enclosed_volume(mesh), 1.0, 1e-12);
  }
}

TEST(ReadStl, NamesWhatIsWrong) {
  Files files;
  const std::string bytes = binary_stl(cube_surface(1));
  std::string truncated = bytes.substr(0, bytes.size() - 100);
  truncated[0] = '#';
  EXPECT_TRUE(contains(error_of(files, "a.stl", truncated), "truncated"));
  EXPECT_TRUE(contains(error_of(files, "a.stl", "hello"), "'hello'"));
  EXPECT_TRUE(contains(error_of(files, "a.stl", "solid a\nfacet normal 0 0 1\nouter ring\n"),
                       "a.stl:3: found 'ring'"));
  std::string infinite = bytes;
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(infinite.data() + 84 + 12, &infinity, sizeof infinity);
  EXPECT_TRUE(contains(error_of(files, "a.stl", infinite), "finite"));
}

std::string ply(const SurfaceMesh& mesh, bool binary) {
  std::string text =
      std::string("ply\nformat ") + (binary ? "binary_little_endian" : "ascii") +
      " 1.0\ncomment made by a test\nelement vertex " + std::to_string(mesh.points.size()) +
      "\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\n"
      "element face " +
      std::to_string(mesh.triangles.size()) +
      "\nproperty list uchar int vertex_indices\nend_header\n";
  const auto put = [&](const auto& value) {
    if (binary) {
      text.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      text += std::to_string(value) + " ";
    }
  };
  for (const Point3& p : mesh.points) {
    put(p.x);
    put(p.y);
    put(p.z);
    put(std::uint8_t{7});
  }
  for (const Triangle& t : mesh.triangles) {
    put(std::uint8_t{3});
    for (const PointIndex p : t.point) put(static_cast<std::int32_t>(p));
  }
  return text;
}

TEST(ReadPly, ReadsBothForms) {
  Files files;
  for (const bool binary : {false, true}) {
    const SurfaceMesh mesh = load_surface(files.write("a.ply", ply(cube_surface(2), binary)));
    EXPECT_EQ(mesh.triangles.size(), 48U);
    EXPECT_NEAR(enclosed_volume(mesh), 1.0, 1e-12);
  }
}

TEST(ReadPly, NamesWhatIsWrong) {
  Files files;
  const std::string good = ply(cube_surface(1), true);
  EXPECT_TRUE(contains(error_of(files, "a.ply", good.substr(0, good.size() - 3)), "truncated"));
  EXPECT_TRUE(contains(error_of(files, "a.ply", "plx\n"), "'plx'"));
  EXPECT_TRUE(contains(error_of(files, "a.ply", "ply\nformat binary_big_endian 1.0\n"),
                       "a.ply:2: found 'binary_big_endian'"));
  EXPECT_TRUE(contains(error_of(files, "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\n"),
                       "end_header"));
  std::string text = ply(cube_surface(1), false);
  text.replace(text.rfind("3 "), 2, "2 ");
  EXPECT_TRUE(contains(error_of(files, "a.ply", text), "found"));
}

}  // namespace
}  // namespace mesh_refine::test
