// SPDX-License-Identifier: Apache-2.0
#include "read/polygon_surface.hpp"

#include "coarse/surface_processing.hpp"
#include "read/input_error.hpp"

namespace mesh_refine {

SurfaceMesh triangulate(PolygonSurface surface, const std::filesystem::path& file) {
  SurfaceMesh mesh;
  mesh.triangles.reserve(surface.ends.size());
  const std::span<const PointIndex> corners(surface.corners);
  std::size_t begin = 0;
  for (std::size_t f = 0; f < surface.ends.size(); ++f) {
    const std::size_t count = surface.ends[f] - begin;
    const std::string fault =
        triangulate_polygon(surface.points, corners.subspan(begin, count), mesh.triangles);
    if (!fault.empty()) {
      throw InputError(file, 0,
                       "a face that " + fault + ", face " + std::to_string(f) + " (counted from 0)",
                       "faces whose corners run once around a flat area");
    }
    begin = surface.ends[f];
  }
  mesh.points = std::move(surface.points);
  return mesh;
}

}  // namespace mesh_refine
