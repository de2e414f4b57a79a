// SPDX-License-Identifier: Apache-2.0
#include "refine/tet_shape.hpp"

#include <algorithm>
#include <numbers>

namespace mesh_refine {

DihedralAngles dihedral_angles(const std::array<Point3, 4>& corners) {
  std::array<Point3, 4> normals;
  for (std::size_t f = 0; f < 4; ++f) {
    const Point3& a = corners[corners_of_face[f][0]];
    normals[f] = cross(corners[corners_of_face[f][1]] - a, corners[corners_of_face[f][2]] - a);
  }
  DihedralAngles angles;
  for (std::size_t f = 0; f < 4; ++f) {
    for (std::size_t g = f + 1; g < 4; ++g) {
      const double lengths = norm(normals[f]) * norm(normals[g]);
      if (!(lengths > 0.0)) continue;
      const double cosine = std::clamp(-dot(normals[f], normals[g]) / lengths, -1.0, 1.0);
      const double degrees = std::acos(cosine) * 180.0 / std::numbers::pi;
      angles.smallest = std::min(angles.smallest, degrees);
      angles.largest = std::max(angles.largest, degrees);
    }
  }
  return angles;
}

double smallest_angle_degrees(const Point3& a, const Point3& b, const Point3& c) {
  const auto angle = [](const Point3& u, const Point3& v) {
    return std::atan2(norm(cross(u, v)), dot(u, v)) * 180.0 / std::numbers::pi;
  };
  return std::min({angle(b - a, c - a), angle(c - b, a - b), angle(a - c, b - c)});
}

}  // namespace mesh_refine
