// SPDX-License-Identifier: Apache-2.0
#include "tet_readers.hpp"
#include "text_scanner.hpp"
#include "vtk_cells.hpp"

namespace mesh_refine {
namespace {

constexpr long long largest_integer = 1LL << 40;

struct LegacyCells {
  std::vector<long long> connectivity;
  std::vector<long long> ends;
};

std::vector<long long> integers(TextScanner& scanner, std::size_t count, std::string_view what) {
  std::vector<long long> values(count);
  for (long long& value : values) value = scanner.integer(what, 0, largest_integer);
  return values;
}

/// Versions before 5: each cell is its length followed by its points.
LegacyCells read_cells(TextScanner& scanner, std::size_t cells, std::size_t size) {
  LegacyCells result;
  for (std::size_t i = 0; i < cells; ++i) {
    const auto length = static_cast<std::size_t>(scanner.integer("a cell's length", 1, 1000));
    for (std::size_t k = 0; k < length; ++k) {
      result.connectivity.push_back(scanner.integer("a point index", 0, largest_integer));
    }
    result.ends.push_back(static_cast<long long>(result.connectivity.size()));
  }
  if (result.connectivity.size() + cells != size) {
    scanner.fail("cells of another total size", std::to_string(size) + " numbers in CELLS");
  }
  return result;
}

/// Version 5: offsets (one more than cells) and connectivity as two arrays.
LegacyCells read_cell_arrays(TextScanner& scanner, std::size_t offsets, std::size_t size) {
  (void)scanner.next_word();  // OFFSETS
  (void)scanner.next_word();  // type
  LegacyCells result;
  result.ends = integers(scanner, offsets, "a cell offset");
  if (!result.ends.empty()) result.ends.erase(result.ends.begin());
  const std::string_view word = scanner.next_word();
  if (word != "CONNECTIVITY") scanner.fail(shown(word), "the word CONNECTIVITY");
  (void)scanner.next_word();  // type
  result.connectivity = integers(scanner, size, "a point index");
  return result;
}

void read_header(TextScanner& scanner) {
  if (scanner.rest_of_line().substr(0, 23) != "# vtk DataFile Version ") {
    scanner.fail("another first line", "'# vtk DataFile Version ...' at the start of a VTK file");
  }
  scanner.rest_of_line();  // title
  const std::string_view format = scanner.next_word();
  if (format != "ASCII") scanner.fail(shown(format), "the word ASCII (a text VTK file)");
  (void)scanner.next_word();  // DATASET
  const std::string_view kind = scanner.next_word();
  if (kind != "UNSTRUCTURED_GRID") scanner.fail(shown(kind), "DATASET UNSTRUCTURED_GRID");
}

}  // namespace

TetMesh read_vtk(const std::filesystem::path& file, std::string_view text) {
  TextScanner scanner(file, text, '\0');
  read_header(scanner);
  TetMesh mesh;
  LegacyCells cells;
  for (std::string_view word = scanner.next_word();; word = scanner.next_word()) {
    if (word == "POINTS") {
      mesh.points.resize(scanner.count("the number of points", 4));
      (void)scanner.next_word();  // type
      for (Point3& point : mesh.points) point = scanner.point();
    } else if (word == "CELLS") {
      const std::size_t count = scanner.count("the number of cells", 1);
      const std::size_t size = scanner.count("the size of the cells", 4);
      cells = scanner.peek_word() == "OFFSETS" ? read_cell_arrays(scanner, count, size)
                                               : read_cells(scanner, count, size);
    } else if (word == "CELL_TYPES") {
      const std::size_t count = scanner.count("the number of cell types", 1);
      const std::vector<long long> types = integers(scanner, count, "a cell type");
      mesh.tets =
          tets_of_vtk_cells(scanner, cells.connectivity, cells.ends, types, mesh.points.size());
      return mesh;
    } else if (word == "METADATA") {
      // A block that ends with an empty line.
      scanner.rest_of_line();
      while (!scanner.unread().empty() && !scanner.rest_of_line().empty()) {
      }
    } else {
      scanner.fail(shown(word), "POINTS, CELLS and CELL_TYPES (is the file truncated?)");
    }
  }
}

}  // namespace mesh_refine
