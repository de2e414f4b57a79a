// SPDX-License-Identifier: Apache-2.0
// Promise: a readable surface file gives its triangles; any other gives one error that names the
// file, the line, what was found and what is allowed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "coarse/surface_processing.hpp"
#include "read/load_mesh.hpp"
#include "read/surface_check.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::surface_readers_test {
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

TEST(ReadOff, reads_triangles) {
  Files files;
  const SurfaceMesh mesh = load_surface(files.write("a.off", tetrahedron_off));
  EXPECT_EQ(mesh.points.size(), 4U);
  EXPECT_EQ(mesh.triangles.size(), 4U);
  EXPECT_NEAR(enclosed_volume(mesh), 1.0 / 6.0, 1e-15);
}

TEST(ReadOff, cuts_polygons_and_skips_colours) {
  Files files;
  const std::string cube =
      "COFF 8 6 0\n0 0 0 255 0 0\n1 0 0 255 0 0\n1 1 0 1 1 1\n0 1 0 1 1 1\n0 0 1 1 1 1\n"
      "1 0 1 1 1 1\n1 1 1 1 1 1\n0 1 1 1 1 1\n4 0 3 2 1 9 9 9\n4 4 5 6 7\n4 0 1 5 4\n"
      "4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";
  EXPECT_NEAR(enclosed_volume(load_surface(files.write("c.off", cube))), 1.0, 1e-15);
}

TEST(ReadOff, cuts_polygons_that_are_not_convex_and_have_corners_on_a_line) {
  Files files;
  // A prism over an L, with one more corner in the middle of a long side of floor and lid.
  const std::string prism =
      "off\n14 9 0\n0 2 0\n0 1 0\n0 0 0\n2 0 0\n2 1 0\n1 1 0\n1 2 0\n"
      "0 2 1\n0 1 1\n0 0 1\n2 0 1\n2 1 1\n1 1 1\n1 2 1\n"
      "7 6 5 4 3 2 1 0\n7 7 8 9 10 11 12 13\n4 0 1 8 7\n4 1 2 9 8\n4 2 3 10 9\n4 3 4 11 10\n"
      "4 4 5 12 11\n4 5 6 13 12\n4 6 0 7 13\n";
  const SurfaceMesh mesh = load_surface(files.write("l.off", prism));
  EXPECT_NEAR(enclosed_volume(mesh), 3.0, 1e-14);
  EXPECT_EQ(find_faults(mesh).intersecting_pairs, 0U);
  EXPECT_EQ(find_faults(mesh).flat_triangles, 0U);
}

TEST(ReadOff, reads_any_line_end_and_tiny_numbers) {
  Files files;
  std::string text = tetrahedron_off;
  text.replace(text.find("1 0 0"), 5, "1 1E-400 -1e-400");
  text.replace(text.find("0 0 1"), 5, "0 0." + std::string(400, '0') + "1 1");
  EXPECT_NEAR(enclosed_volume(load_surface(files.write("a.off", text))), 1.0 / 6.0, 1e-15);
  std::ranges::replace(text, '\n', '\r');
  EXPECT_NEAR(enclosed_volume(load_surface(files.write("a.off", text))), 1.0 / 6.0, 1e-15);
  EXPECT_TRUE(contains(error_of(files, "a.off", "OFF\r4 4 0\r0 0 0\r1 nan 0\r"), "a.off:4"));
}

TEST(ReadOff, names_what_is_wrong) {
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

TEST(LoadMesh, names_missing_files_and_unknown_formats) {
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

TEST(ReadStl, merges_equal_points_in_both_forms) {
  Files files;
  const SurfaceMesh cube = cube_surface(4);
  for (const std::string& content : {text_stl(cube), binary_stl(cube)}) {
    const SurfaceMesh mesh = load_surface(files.write("a.stl", content));
    EXPECT_EQ(mesh.points.size(), cube.points.size());
    EXPECT_EQ(mesh.triangles.size(), cube.triangles.size());
    EXPECT_NEAR(enclosed_volume(mesh), 1.0, 1e-12);
  }
}

double volume_of_stl(Files& files, const std::string& content) {
  try {
    return enclosed_volume(load_surface(files.write("a.stl", content)));
  } catch (const InputError& error) {
    ADD_FAILURE() << error.what();
    return 0.0;
  }
}

TEST(ReadStl, reads_every_solid) {
  Files files;
  SurfaceMesh far;
  append(far, cube_surface(1), 1.0, {5, 0, 0});
  const std::string two = text_stl(cube_surface(1)) + text_stl(far);
  EXPECT_NEAR(volume_of_stl(files, two), 2.0, 1e-12);
  EXPECT_TRUE(contains(error_of(files, "a.stl", two + "rubbish\n"), "'rubbish'"));
  EXPECT_TRUE(contains(error_of(files, "a.stl", two.substr(0, two.rfind("facet"))), "found"));
}

TEST(ReadStl, knows_text_from_binary) {
  Files files;
  const std::string text = text_stl(cube_surface(1));
  std::string upper = text;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string returns = text;
  std::ranges::replace(returns, '\n', '\r');
  for (const std::string& content :
       {" " + text, "\n\n" + text, "\xEF\xBB\xBF" + text, upper, returns, text + " \n"}) {
    EXPECT_NEAR(volume_of_stl(files, content), 1.0, 1e-12);
  }
  const std::string binary = binary_stl(cube_surface(1));
  EXPECT_NEAR(volume_of_stl(files, binary + "\n"), 1.0, 1e-12);
  EXPECT_NEAR(volume_of_stl(files, binary + std::string(300, '\0')), 1.0, 1e-12);
}

TEST(ReadStl, names_what_is_wrong) {
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

std::string ply(const SurfaceMesh& mesh, const std::string& format) {
  const bool binary = format != "ascii";
  std::string text =
      "ply\nformat " + format + " 1.0\ncomment made by a test\nelement vertex " +
      std::to_string(mesh.points.size()) +
      "\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\n"
      "element face " +
      std::to_string(mesh.triangles.size()) +
      "\nproperty list uchar int vertex_indices\nend_header\n";
  const auto put = [&](const auto& value) {
    if (binary) {
      std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
      if (format == "binary_big_endian") std::ranges::reverse(bytes);
      text += bytes;
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

TEST(ReadPly, reads_all_forms) {
  Files files;
  for (const char* format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    const SurfaceMesh mesh = load_surface(files.write("a.ply", ply(cube_surface(2), format)));
    EXPECT_EQ(mesh.triangles.size(), 48U);
    EXPECT_NEAR(enclosed_volume(mesh), 1.0, 1e-12);
  }
}

TEST(ReadPly, skips_properties_that_are_no_numbers) {
  Files files;
  std::string text = ply(cube_surface(1), "ascii");
  text.replace(text.find("uchar red"), 9, "float nx");
  const std::size_t first = text.find("end_header\n") + 11;
  text.replace(text.find(" 7 ", first), 3, " nan ");
  text.replace(text.find(" 7 ", first), 3, " -inf ");
  text.replace(text.find(" 7 ", first), 3, " 1E-400 ");
  EXPECT_NEAR(enclosed_volume(load_surface(files.write("a.ply", text))), 1.0, 1e-12);
}

TEST(ReadPly, names_what_is_wrong) {
  Files files;
  const std::string good = ply(cube_surface(1), "binary_little_endian");
  EXPECT_TRUE(contains(error_of(files, "a.ply", good.substr(0, good.size() - 3)), "truncated"));
  EXPECT_TRUE(contains(error_of(files, "a.ply", "plx\n"), "'plx'"));
  EXPECT_TRUE(contains(error_of(files, "a.ply", "ply\nformat binary_pdp_endian 1.0\n"),
                       "a.ply:2: found 'binary_pdp_endian'"));
  EXPECT_TRUE(contains(error_of(files, "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\n"),
                       "end_header"));
  std::string text = ply(cube_surface(1), "ascii");
  text.replace(text.rfind("3 "), 2, "2 ");
  EXPECT_TRUE(contains(error_of(files, "a.ply", text), "found"));
}

TEST(ReadObj, reads_polygons_whatever_stands_besides) {
  Files files;
  // A prism over an L: its floor and lid are polygons that are not convex.
  const std::string points =
      "# a comment\nmtllib x.mtl\nv 0 0 0\nv 2 0 0 1.0\nv 2 1 0 .1 .2 .3\nv 1 1 0\nv 1 2 0\n"
      "v 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\nvn 0 0 1\nvt 0 0\ng one\n";
  const std::string sides =
      "f 1 2 8 7\nf 2 3 9 8 # a comment\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\nl 1 2\n";
  for (const char* lids : {"f 6 5 4 3 2 1\nf 7//1 8//1 9//1 10//1 11//1 12//1\n",
                           "f -7 -8 -9 -10 -11 -12\nf 7/1/1 8/1/1 9/1/1 \\\n 10/1/1 11/1 12\n"}) {
    EXPECT_NEAR(enclosed_volume(load_surface(files.write("l.OBJ", points + lids + sides))), 3.0,
                1e-14);
  }
  EXPECT_TRUE(contains(error_of(files, "l.obj", points + "f 1 2 13\n"), "l.obj:18: found '13'"));
  EXPECT_TRUE(contains(error_of(files, "l.obj", points + "f 1 2 0\n"), "'0'"));
  EXPECT_TRUE(contains(error_of(files, "l.obj", points + "f 1 two 3\n"), "'two'"));
  EXPECT_TRUE(contains(error_of(files, "l.obj", "v 0 0 zero\n"), "l.obj:1: found 'zero'"));
}

}  // namespace
}  // namespace mesh_refine::test::surface_readers_test
