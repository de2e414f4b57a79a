// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "read/polygon_surface.hpp"
#include "read/surface_readers.hpp"
#include "read/text_scanner.hpp"

namespace mesh_refine {
namespace {

/// The rest of the line and those that it says it goes on in.
std::string rest_of_statement(TextScanner& scanner) {
  std::string statement(scanner.rest_of_line());
  while (statement.ends_with('\\')) {
    statement.back() = ' ';
    statement += scanner.rest_of_line();
  }
  return statement.substr(0, statement.find('#'));
}

/// Appends a face: words that each start with the number of a point.
void append_face(const TextScanner& scanner, const std::string& statement,
                 PolygonSurface& surface) {
  TextScanner words({}, statement, '\0');
  const auto points = static_cast<long long>(surface.points.size());
  std::size_t corners = 0;
  for (auto word = words.next_word(); !word.empty(); word = words.next_word()) {
    const std::string_view digits = word.substr(0, word.find('/'));  // before texture and normal
    long long number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const long long index = number < 0 ? points + number : number - 1;
    if (error != std::errc{} || end != digits.data() + digits.size() || index < 0 ||
        index >= points) {
      scanner.fail(shown(word), "the number of a point, from 1 to " + std::to_string(points));
    }
    surface.corners.push_back(static_cast<PointIndex>(index));
    ++corners;
  }
  if (corners < 3) scanner.fail("a face of fewer than 3 corners", "at least 3 corners");
  surface.end_polygon();
}

}  // namespace

SurfaceMesh read_obj(const std::filesystem::path& file, std::string_view text) {
  TextScanner scanner(file, text, '#');
  PolygonSurface surface;
  for (auto word = scanner.next_word(); !word.empty(); word = scanner.next_word()) {
    if (word == "v") {
      surface.points.push_back(scanner.point());
      scanner.rest_of_line();  // a weight, a colour
    } else if (word == "f") {
      append_face(scanner, rest_of_statement(scanner), surface);
    } else {
      (void)rest_of_statement(scanner);
    }
  }
  return triangulate(std::move(surface), file);
}

}  // namespace mesh_refine
