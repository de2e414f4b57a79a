// SPDX-License-Identifier: Apache-2.0
#include "read/polygon_surface.hpp"
#include "read/surface_readers.hpp"
#include "read/text_scanner.hpp"

namespace mesh_refine {
namespace {

constexpr long long most_corners = 100'000;

void append_polygon(TextScanner& scanner, PolygonSurface& surface) {
  const auto last = static_cast<long long>(surface.points.size()) - 1;
  const long long corners = scanner.integer("a face's number of corners", 3, most_corners);
  for (long long i = 0; i < corners; ++i) {
    surface.corners.push_back(static_cast<PointIndex>(scanner.integer("a point index", 0, last)));
  }
  surface.end_polygon();
}

}  // namespace

SurfaceMesh read_off(const std::filesystem::path& file, std::string_view text) {
  TextScanner scanner(file, text, '#');
  const std::string_view header = scanner.next_word();
  const std::string word = lower_case(header);
  if (word != "off" && word != "coff" && word != "noff" && word != "cnoff") {
    scanner.fail(shown(header), "the word OFF at the start of an OFF file");
  }
  if (lower_case(scanner.peek_word()) == "binary")
    scanner.fail("a binary OFF file", "a text OFF file");
  const std::size_t points = scanner.count("the number of points", 4);
  const std::size_t faces = scanner.count("the number of faces", 4);
  scanner.rest_of_line();  // the number of edges, which nobody uses

  PolygonSurface surface;
  surface.points.reserve(points);
  surface.corners.reserve(3 * faces);
  for (std::size_t i = 0; i < points; ++i) {
    surface.points.push_back(scanner.point());
    scanner.rest_of_line();  // normals, colours
  }
  for (std::size_t i = 0; i < faces; ++i) {
    append_polygon(scanner, surface);
    scanner.rest_of_line();  // colours
  }
  return triangulate(std::move(surface), file);
}

}  // namespace mesh_refine
