// SPDX-License-Identifier: Apache-2.0
#include "coarse/surface_diagnosis.hpp"

#include <numeric>
#include <sstream>

#include "coarse/surface_processing.hpp"

namespace mesh_refine {
namespace {

/// The shells of a surface, as sets of points that triangles connect.
class ShellsOfPoints {
 public:
  explicit ShellsOfPoints(const SurfaceMesh& surface) : parent_(surface.points.size()) {
    std::iota(parent_.begin(), parent_.end(), PointIndex{0});
    for (const Triangle& t : surface.triangles) {
      parent_[find(t.point[1])] = find(t.point[0]);
      parent_[find(t.point[2])] = find(t.point[0]);
    }
  }

  PointIndex find(PointIndex p) {
    while (parent_[p] != p) p = parent_[p] = parent_[parent_[p]];
    return p;
  }

 private:
  std::vector<PointIndex> parent_;
};

std::string place_of(const SurfaceMesh& surface, std::uint32_t triangle) {
  const auto& c = surface.triangles[triangle].point;
  const Point3 p = 1.0 / 3.0 * (surface.points[c[0]] + surface.points[c[1]] + surface.points[c[2]]);
  std::ostringstream text;
  text << "near (" << p.x << ", " << p.y << ", " << p.z << ')';
  return text.str();
}

}  // namespace

std::optional<std::string> diagnose(const SurfaceMesh& surface) {
  const SurfaceFaults faults = find_faults(surface);
  if (faults.intersecting_pairs > 0) {
    ShellsOfPoints shells(surface);
    const auto [a, b] = faults.first_pair;
    const bool one_shell =
        shells.find(surface.triangles[a].point[0]) == shells.find(surface.triangles[b].point[0]);
    return std::string(one_shell ? "a surface that intersects itself, "
                                 : "bodies that overlap or touch, ") +
           std::to_string(faults.intersecting_pairs) + " pair(s) of triangles, the first " +
           place_of(surface, a);
  }
  if (faults.flat_triangles > 0) {
    return "a surface with " + std::to_string(faults.flat_triangles) +
           " triangle(s) of no area, the first " + place_of(surface, faults.first_flat);
  }
  return std::nullopt;
}

}  // namespace mesh_refine
