// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// Makes sure that a surface encloses a body: every edge joins exactly two triangles, all triangles
/// can be oriented alike, the enclosed volume is not zero. Turns triangles where needed so that
/// they are counter-clockwise seen from outside the body, shells around voids included, and drops
/// points that no triangle uses. Throws InputError naming `file`. Thread-safe.
[[nodiscard]] SurfaceMesh check_surface(SurfaceMesh mesh, const std::filesystem::path& file);

/// Volume enclosed by an outward-oriented closed surface, by the divergence theorem relative to the
/// first point, compensated summation.
[[nodiscard]] double enclosed_volume(const SurfaceMesh& mesh);

/// Drops the points that no element uses and renumbers the corners; keeps the order.
template <class Element>
void drop_unused_points(std::vector<Point3>& points, std::vector<Element>& elements) {
  constexpr PointIndex unused = 0xffffffffU;
  std::vector<PointIndex> new_index(points.size(), unused);
  for (const Element& element : elements) {
    for (const PointIndex p : element.point) new_index[p] = 0;
  }
  PointIndex next = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (new_index[p] == unused) continue;
    points[next] = points[p];
    new_index[p] = next++;
  }
  points.resize(next);
  for (Element& element : elements) {
    for (PointIndex& p : element.point) p = new_index[p];
  }
}

}  // namespace mesh_refine
