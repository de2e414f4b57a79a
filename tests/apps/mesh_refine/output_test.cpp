// SPDX-License-Identifier: Apache-2.0
// Promise: the output file holds the whole mesh once, as well-formed XML, and a file that cannot be
// written is an error.

#include <gtest/gtest.h>

#include "cut/partition.hpp"
#include "read/text_scanner.hpp"
#include "show/base64.hpp"
#include "show/mesh_output.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::output_test {
namespace {

std::string encoded(const std::string& text) {
  return base64(std::as_bytes(std::span(text.data(), text.size())));
}

TEST(Base64, agrees_with_the_standard) {
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encoded("\xff\xfe\xfd"), "//79");
}

TEST(MeshJoiner, joins_interface_points) {
  const TetMesh mesh = cube_mesh(4);
  MeshJoiner joiner;
  for (const Subdomain& s : partition(mesh, SizeField{}, {.subdomains = 5})) {
    joiner.add(s, static_cast<std::int32_t>(s.id % 2));
  }
  const OutputMesh joined = joiner.take();
  EXPECT_EQ(joined.points.size(), mesh.points.size());
  EXPECT_EQ(joined.tets.size(), mesh.tets.size());
  EXPECT_EQ(joined.rank.size(), mesh.tets.size());
  EXPECT_NEAR(total_volume({joined.points, joined.tets}), 1.0, 1e-12);
}

TEST(WriteVtu, writes_the_arrays) {
  const Files files;
  MeshJoiner joiner;
  for (const Subdomain& s : partition(cube_mesh(2), SizeField{}, {.subdomains = 2}))
    joiner.add(s, 3);
  write_vtu(joiner.take(), files.path() / "m.vtu");
  const std::string text = read_file(files.path() / "m.vtu");
  EXPECT_TRUE(contains(text, "NumberOfPoints=\"27\" NumberOfCells=\"48\""));
  for (const char* name : {"subdomain", "rank", "quality", "connectivity", "offsets", "types"}) {
    EXPECT_TRUE(contains(text, std::string("Name=\"") + name + "\"")) << name;
  }
  EXPECT_TRUE(text.ends_with("</VTKFile>\n"));
}

TEST(WriteVtu, reports_a_file_that_cannot_be_written) {
  EXPECT_THROW(write_vtu({}, "/no/such/directory/m.vtu"), std::runtime_error);
}

}  // namespace
}  // namespace mesh_refine::test::output_test
