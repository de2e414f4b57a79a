// SPDX-License-Identifier: Apache-2.0
#include "vtk_cells.hpp"

#include <utility>

namespace mesh_refine {
namespace {

constexpr long long tetrahedron_type = 10;

bool is_skipped(long long type) { return type >= 1 && type <= 5; }  // up to triangles

}  // namespace

std::vector<Tetrahedron> tets_of_vtk_cells(const TextScanner& scanner,
                                           const std::vector<long long>& connectivity,
                                           const std::vector<long long>& ends,
                                           const std::vector<long long>& types,
                                           std::size_t points) {
  if (ends.size() != types.size()) {
    scanner.fail(
        std::to_string(ends.size()) + " cells but " + std::to_string(types.size()) + " cell types",
        "one type per cell");
  }
  std::vector<Tetrahedron> tets;
  long long begin = 0;
  for (std::size_t cell = 0; cell < ends.size(); ++cell) {
    const long long end = ends[cell];
    if (end < begin || end > static_cast<long long>(connectivity.size())) {
      scanner.fail("cell offset " + std::to_string(end), "offsets that rise within the cells");
    }
    const long long first = std::exchange(begin, end);
    if (is_skipped(types[cell])) continue;
    if (types[cell] != tetrahedron_type || end - first != 4) {
      scanner.fail("a cell of VTK type " + std::to_string(types[cell]) + " with " +
                       std::to_string(end - first) + " points",
                   "tetrahedra (type 10, 4 points)");
    }
    Tetrahedron tet;
    for (std::size_t i = 0; i < 4; ++i) {
      const long long p = connectivity[static_cast<std::size_t>(first) + i];
      if (p < 0 || p >= static_cast<long long>(points)) {
        scanner.fail("point index " + std::to_string(p),
                     "an index from 0 to " + std::to_string(points - 1));
      }
      tet.point[i] = static_cast<PointIndex>(p);
    }
    tets.push_back(tet);
  }
  if (tets.empty()) scanner.fail("no tetrahedra", "at least one cell of type 10");
  return tets;
}

}  // namespace mesh_refine
