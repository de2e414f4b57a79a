// SPDX-License-Identifier: Apache-2.0
#include "read/tet_readers.hpp"
#include "read/text_scanner.hpp"

namespace mesh_refine {
namespace {

struct NodeFile {
  std::vector<Point3> points;
  long long first_index = 0;
};

NodeFile read_nodes(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  TextScanner scanner(file, text, '#');
  const std::size_t count = scanner.count("the number of points", 4);
  (void)scanner.integer("the dimension", 3, 3);
  scanner.rest_of_line();
  NodeFile nodes;
  nodes.points.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0) {
      nodes.first_index = scanner.integer("the index of the first point", 0, 1);
    } else {
      const long long expected = nodes.first_index + static_cast<long long>(i);
      (void)scanner.integer("the next point index", expected, expected);
    }
    nodes.points.push_back(scanner.point());
    scanner.rest_of_line();  // attributes and boundary markers
  }
  return nodes;
}

std::vector<Tetrahedron> read_elements(const std::filesystem::path& file, const NodeFile& nodes) {
  const std::string text = read_file(file);
  TextScanner scanner(file, text, '#');
  const std::size_t count = scanner.count("the number of tetrahedra", 1);
  (void)scanner.integer("the number of points per tetrahedron", 4, 4);
  scanner.rest_of_line();
  const long long first = nodes.first_index;
  const long long last = first + static_cast<long long>(nodes.points.size()) - 1;
  std::vector<Tetrahedron> tets(count);
  for (Tetrahedron& tet : tets) {
    (void)scanner.integer("the index of a tetrahedron", 0, 1LL << 40);
    for (PointIndex& corner : tet.point) {
      corner = static_cast<PointIndex>(scanner.integer("a point index", first, last) - first);
    }
    scanner.rest_of_line();  // region attributes
  }
  return tets;
}

}  // namespace

TetMesh read_tetgen(const std::filesystem::path& file) {
  std::filesystem::path node_file = file;
  std::filesystem::path element_file = file;
  node_file.replace_extension(".node");
  element_file.replace_extension(".ele");
  NodeFile nodes = read_nodes(node_file);
  std::vector<Tetrahedron> tets = read_elements(element_file, nodes);
  return {std::move(nodes.points), std::move(tets)};
}

}  // namespace mesh_refine
