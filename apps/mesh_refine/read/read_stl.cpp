// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <map>

#include "read/byte_reader.hpp"
#include "read/surface_readers.hpp"
#include "read/text_scanner.hpp"

namespace mesh_refine {
namespace {

constexpr std::size_t header_bytes = 80;
constexpr std::size_t triangle_bytes = 50;

/// Gives equal coordinates the same index.
class PointMerger {
 public:
  PointIndex index_of(const Point3& p) {
    // Adding zero turns -0 into 0, which compares equal anyway but keeps the output uniform.
    const Point3 q{p.x + 0.0, p.y + 0.0, p.z + 0.0};
    const auto [entry, added] =
        index_.try_emplace({q.x, q.y, q.z}, static_cast<PointIndex>(mesh.points.size()));
    if (added) mesh.points.push_back(q);
    return entry->second;
  }

  void add_triangle(const std::array<Point3, 3>& corners) {
    const Triangle t{{index_of(corners[0]), index_of(corners[1]), index_of(corners[2])}};
    const bool collapsed =
        t.point[0] == t.point[1] || t.point[1] == t.point[2] || t.point[2] == t.point[0];
    if (!collapsed) mesh.triangles.push_back(t);
  }

  SurfaceMesh mesh;

 private:
  std::map<std::array<double, 3>, PointIndex> index_;
};

std::size_t binary_size(std::string_view text) {
  std::uint32_t triangles = 0;
  std::memcpy(&triangles, text.data() + header_bytes, sizeof triangles);
  return header_bytes + sizeof triangles + triangle_bytes * std::size_t{triangles};
}

/// Tells text from binary files. Some writers start binary files with "solid" too, and some append
/// bytes to them. Text contains no zero byte, and every binary file does, in its count of
/// triangles, unless that is 2^24 or more, which would exceed memory.
bool is_text(TextScanner& scanner, std::string_view text) {
  return lower_case(scanner.peek_word()) == "solid" && text.find('\0') == std::string_view::npos;
}

SurfaceMesh read_binary(const TextScanner& scanner, std::string_view text) {
  ByteReader bytes(scanner, text.substr(header_bytes));
  const auto triangles = bytes.take<std::uint32_t>();
  PointMerger merger;
  for (std::uint32_t i = 0; i < triangles; ++i) {
    for (int normal = 0; normal < 3; ++normal) (void)bytes.take<float>();
    std::array<Point3, 3> corners;
    for (Point3& corner : corners) {
      corner.x = bytes.take<float>();
      corner.y = bytes.take<float>();
      corner.z = bytes.take<float>();
      for (const double value : {corner.x, corner.y, corner.z}) {
        check_coordinate(scanner, value, "a coordinate of triangle " + std::to_string(i));
      }
    }
    (void)bytes.take<std::uint16_t>();
    merger.add_triangle(corners);
  }
  return std::move(merger.mesh);
}

void expect(TextScanner& scanner, std::string_view word) {
  const std::string_view found = scanner.next_word();
  if (lower_case(found) != word) scanner.fail(shown(found), "the word '" + std::string(word) + "'");
}

void read_facet(TextScanner& scanner, PointMerger& merger) {
  scanner.rest_of_line();  // the normal, which follows from the corners
  expect(scanner, "outer");
  expect(scanner, "loop");
  std::array<Point3, 3> corners;
  for (Point3& corner : corners) {
    expect(scanner, "vertex");
    corner = scanner.point();
  }
  expect(scanner, "endloop");
  expect(scanner, "endfacet");
  merger.add_triangle(corners);
}

/// A file may hold several solids; their triangles form one surface.
SurfaceMesh read_text(TextScanner& scanner) {
  PointMerger merger;
  while (!scanner.peek_word().empty()) {
    expect(scanner, "solid");
    scanner.rest_of_line();  // a name
    std::string word = lower_case(scanner.peek_word());
    for (; word == "facet"; word = lower_case(scanner.peek_word())) {
      (void)scanner.next_word();
      read_facet(scanner, merger);
    }
    const std::string_view end = scanner.next_word();
    if (word != "endsolid") scanner.fail(shown(end), "the word 'facet' or 'endsolid'");
    scanner.rest_of_line();  // the name again
  }
  return std::move(merger.mesh);
}

}  // namespace

SurfaceMesh read_stl(const std::filesystem::path& file, std::string_view text) {
  TextScanner scanner(file, text, '\0');
  if (is_text(scanner, text)) return read_text(scanner);
  const bool has_header = text.size() >= header_bytes + sizeof(std::uint32_t);
  // Bytes after the triangles are ignored. If a file without any zero byte is too short, it is a
  // text of another kind.
  if (has_header &&
      (text.find('\0') != std::string_view::npos || binary_size(text) == text.size())) {
    return read_binary(scanner, text);
  }
  scanner.fail(shown(scanner.peek_word()), "the word 'solid' or a binary STL file");
}

}  // namespace mesh_refine
