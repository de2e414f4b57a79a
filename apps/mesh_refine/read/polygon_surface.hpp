// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// A surface as files have it: polygons of any number of corners.
struct PolygonSurface {
  std::vector<Point3> points;
  std::vector<PointIndex> corners;  ///< of all polygons, one after the other
  std::vector<std::size_t> ends;    ///< of each polygon in `corners`

  /// Ends the polygon whose corners were appended last.
  void end_polygon() { ends.push_back(corners.size()); }
};

/// Cuts the polygons into triangles, each in its plane (see triangulate_polygon). All corners must
/// be indices of points. Throws InputError naming `file` and the polygon. Thread-safe.
[[nodiscard]] SurfaceMesh triangulate(PolygonSurface surface, const std::filesystem::path& file);

}  // namespace mesh_refine
