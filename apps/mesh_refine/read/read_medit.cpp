// SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include "read/tet_readers.hpp"
#include "read/text_scanner.hpp"

namespace mesh_refine {
namespace {

bool is_keyword(std::string_view word) {
  return !word.empty() && std::isalpha(static_cast<unsigned char>(word.front())) != 0;
}

void read_vertices(TextScanner& scanner, TetMesh& mesh) {
  mesh.points.resize(scanner.count("the number of vertices", 4));
  for (Point3& point : mesh.points) {
    point = scanner.point();
    (void)scanner.real("a vertex reference");
  }
}

void read_tetrahedra(TextScanner& scanner, TetMesh& mesh) {
  const auto last = static_cast<long long>(mesh.points.size());
  if (last == 0) scanner.fail("Tetrahedra before Vertices", "Vertices first");
  mesh.tets.resize(scanner.count("the number of tetrahedra", 1));
  for (Tetrahedron& tet : mesh.tets) {
    for (PointIndex& corner : tet.point) {
      corner = static_cast<PointIndex>(scanner.integer("a point index", 1, last) - 1);
    }
    (void)scanner.real("a tetrahedron reference");
  }
}

void skip_section(TextScanner& scanner) {
  while (!scanner.peek_word().empty() && !is_keyword(scanner.peek_word())) {
    (void)scanner.next_word();
  }
}

}  // namespace

TetMesh read_medit(const std::filesystem::path& file, std::string_view text) {
  TextScanner scanner(file, text, '#');
  if (scanner.peek_word() != "MeshVersionFormatted") {
    scanner.fail(shown(scanner.peek_word()),
                 "the word MeshVersionFormatted at the start of a Medit file");
  }
  TetMesh mesh;
  for (std::string_view word = scanner.next_word(); !word.empty() && word != "End";
       word = scanner.next_word()) {
    if (!is_keyword(word)) scanner.fail(shown(word), "a Medit keyword");
    if (word == "Dimension") {
      (void)scanner.integer("the dimension", 3, 3);
    } else if (word == "Vertices") {
      read_vertices(scanner, mesh);
    } else if (word == "Tetrahedra") {
      read_tetrahedra(scanner, mesh);
    } else {
      skip_section(scanner);
    }
  }
  if (mesh.tets.empty()) scanner.fail("no tetrahedra", "sections Vertices and Tetrahedra");
  return mesh;
}

}  // namespace mesh_refine
