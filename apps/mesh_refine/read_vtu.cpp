// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "input_error.hpp"
#include "tet_readers.hpp"
#include "text_scanner.hpp"
#include "vtk_cells.hpp"

namespace mesh_refine {
namespace {

/// Finds elements and attributes by their text, which is all that a file with text arrays needs.
class XmlText {
 public:
  XmlText(const std::filesystem::path& file, std::string_view text) : file_(file), text_(text) {}

  /// From the tag's name to the end of the tag, searching from `start`; the position moves on.
  std::optional<std::string_view> tag(std::string_view name, std::size_t& start) const {
    const std::string opening = std::string("<").append(name);
    const std::size_t begin = text_.find(opening, start);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::size_t end = text_.find('>', begin);
    if (end == std::string_view::npos)
      fail(begin, "an unclosed tag", "'>' (is the file truncated?)");
    start = end + 1;
    return text_.substr(begin, end - begin);
  }

  /// Position just behind the tag, or an error.
  std::size_t behind(std::string_view name, std::size_t start) const {
    if (!tag(name, start)) {
      fail(text_.size(), "no element " + std::string(name), "a VTU file of one unstructured grid");
    }
    return start;
  }

  static std::string_view attribute(std::string_view tag, std::string_view name) {
    const std::string key = std::string(" ").append(name).append("=\"");
    const std::size_t begin = tag.find(key);
    if (begin == std::string_view::npos) return {};
    const std::size_t value = begin + key.size();
    return tag.substr(value, tag.find('"', value) - value);
  }

  /// Scanner over the text of the next data array with that name behind `start`.
  TextScanner array(std::string_view name, std::size_t start) const {
    while (const auto found = tag("DataArray", start)) {
      if (!name.empty() && attribute(*found, "Name") != name) continue;
      const std::string_view format = attribute(*found, "format");
      if (format != "ascii") {
        fail(start, "a data array in format " + shown(format), "format=\"ascii\"");
      }
      const std::size_t end = text_.find('<', start);
      if (end == std::string_view::npos) fail(start, "an unclosed data array", "</DataArray>");
      return {file_, text_.substr(start, end - start), '\0'};
    }
    fail(text_.size(), "no data array " + shown(name), "a complete VTU file");
  }

  [[noreturn]] void fail(std::size_t position, const std::string& found,
                         const std::string& allowed) const {
    const auto before = text_.substr(0, std::min(position, text_.size()));
    throw InputError(file_, 1 + static_cast<std::size_t>(std::ranges::count(before, '\n')), found,
                     allowed);
  }

 private:
  const std::filesystem::path& file_;
  std::string_view text_;
};

std::vector<long long> all_integers(TextScanner scanner, std::string_view what) {
  std::vector<long long> values;
  while (!scanner.peek_word().empty()) values.push_back(scanner.integer(what, 0, 1LL << 40));
  return values;
}

std::vector<Point3> all_points(TextScanner scanner) {
  std::vector<Point3> points;
  while (!scanner.peek_word().empty()) points.push_back(scanner.point());
  if (points.size() < 4) scanner.fail(std::to_string(points.size()) + " points", "at least 4");
  return points;
}

}  // namespace

TetMesh read_vtu(const std::filesystem::path& file, std::string_view text) {
  const XmlText xml(file, text);
  std::size_t start = 0;
  const auto root = xml.tag("VTKFile", start);
  if (!root || XmlText::attribute(*root, "type") != "UnstructuredGrid") {
    xml.fail(0, "another kind of file", "<VTKFile type=\"UnstructuredGrid\" ...>");
  }
  const std::size_t piece = xml.behind("Piece", start);
  std::size_t another = piece;
  if (xml.tag("Piece", another)) xml.fail(another, "a second piece", "a file of one piece");
  const std::size_t cells = xml.behind("Cells", piece);

  TetMesh mesh;
  mesh.points = all_points(xml.array("", xml.behind("Points", piece)));
  const auto connectivity = all_integers(xml.array("connectivity", cells), "a point index");
  const auto ends = all_integers(xml.array("offsets", cells), "a cell offset");
  const auto types = all_integers(xml.array("types", cells), "a cell type");
  const TextScanner whole(file, text, '\0');
  mesh.tets = tets_of_vtk_cells(whole, connectivity, ends, types, mesh.points.size());
  return mesh;
}

}  // namespace mesh_refine
