// SPDX-License-Identifier: Apache-2.0
#include "surface_readers.hpp"
#include "text_scanner.hpp"

namespace mesh_refine {
namespace {

void append_polygon(TextScanner& scanner, std::size_t points, SurfaceMesh& mesh) {
  const auto last = static_cast<long long>(points) - 1;
  const long long corners = scanner.integer("a face's number of corners", 3, 1000);
  std::vector<PointIndex> polygon;
  for (long long i = 0; i < corners; ++i) {
    polygon.push_back(static_cast<PointIndex>(scanner.integer("a point index", 0, last)));
  }
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    const Triangle triangle{{polygon[0], polygon[i - 1], polygon[i]}};
    if (triangle.point[0] == triangle.point[1] || triangle.point[1] == triangle.point[2] ||
        triangle.point[2] == triangle.point[0]) {
      scanner.fail("a face that names a point twice", "distinct corners");
    }
    mesh.triangles.push_back(triangle);
  }
}

}  // namespace

SurfaceMesh read_off(const std::filesystem::path& file, std::string_view text) {
  TextScanner scanner(file, text, '#');
  const std::string_view header = scanner.next_word();
  if (header != "OFF" && header != "COFF" && header != "NOFF" && header != "CNOFF") {
    scanner.fail(shown(header), "the word OFF at the start of an OFF file");
  }
  if (scanner.peek_word() == "BINARY") scanner.fail("a binary OFF file", "a text OFF file");
  const std::size_t points = scanner.count("the number of points", 4);
  const std::size_t faces = scanner.count("the number of faces", 4);
  scanner.rest_of_line();  // the number of edges, which nobody uses

  SurfaceMesh mesh;
  mesh.points.reserve(points);
  mesh.triangles.reserve(faces);
  for (std::size_t i = 0; i < points; ++i) {
    mesh.points.push_back(scanner.point());
    scanner.rest_of_line();  // normals, colours
  }
  for (std::size_t i = 0; i < faces; ++i) {
    append_polygon(scanner, points, mesh);
    scanner.rest_of_line();  // colours
  }
  return mesh;
}

}  // namespace mesh_refine
