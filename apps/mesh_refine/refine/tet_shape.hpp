// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// Rounded measures of one tetrahedron.
struct TetShape {
  Point3 circumcentre;
  double circumradius = 0.0;
  double shortest_edge = 0.0;
  /// Radius ratio 3 r / R of the inscribed and the circumscribed sphere: 1 for the regular
  /// tetrahedron, towards 0 for flat ones, 0 for inverted ones.
  double quality = 0.0;
};

/// Radius ratio alone; see TetShape::quality.
[[nodiscard]] inline double radius_ratio(const Point3& p0, const Point3& p1, const Point3& p2,
                                         const Point3& p3) {
  const Point3 a = p1 - p0;
  const Point3 b = p2 - p0;
  const Point3 c = p3 - p0;
  const Point3 bc = cross(b, c);
  const Point3 ca = cross(c, a);
  const Point3 ab = cross(a, b);
  const double det = dot(a, bc);
  if (!(det > 0.0)) return 0.0;
  // R = |n| / (2 det) with n as below, r = det / (sum of the norms of the face normals).
  const Point3 n = dot(a, a) * bc + dot(b, b) * ca + dot(c, c) * ab;
  const double normals = norm(bc) + norm(ca) + norm(ab) + norm(bc + ca + ab);
  const double ratio = 6.0 * det * det / (norm(n) * normals);
  return ratio > 0.0 ? ratio : 0.0;  // also for 0/0 when the products underflow
}

[[nodiscard]] inline TetShape measure_tet(const Point3& p0, const Point3& p1, const Point3& p2,
                                          const Point3& p3) {
  const Point3 a = p1 - p0;
  const Point3 b = p2 - p0;
  const Point3 c = p3 - p0;
  const Point3 bc = cross(b, c);
  const Point3 ca = cross(c, a);
  const Point3 ab = cross(a, b);
  const double det = dot(a, bc);
  TetShape shape;
  const double shortest2 = std::min(
      {dot(a, a), dot(b, b), dot(c, c), dot(b - a, b - a), dot(c - a, c - a), dot(c - b, c - b)});
  shape.shortest_edge = std::sqrt(shortest2);
  const Point3 n = dot(a, a) * bc + dot(b, b) * ca + dot(c, c) * ab;
  const double normals = norm(bc) + norm(ca) + norm(ab) + norm(bc + ca + ab);
  const double length = norm(n);
  if (!(det > 0.0) || !(length > 0.0)) {
    shape.circumradius = std::numeric_limits<double>::infinity();
    return shape;
  }
  shape.circumcentre = p0 + (0.5 / det) * n;
  shape.circumradius = 0.5 * length / det;
  const double ratio = 6.0 * det * det / (length * normals);
  shape.quality = ratio > 0.0 ? ratio : 0.0;
  return shape;
}

/// Smallest and largest angle between two faces, in degrees. For reports only: it calls the
/// library's arc cosine, whose last digit may differ between systems.
struct DihedralAngles {
  double smallest = 180.0;
  double largest = 0.0;
};

[[nodiscard]] DihedralAngles dihedral_angles(const std::array<Point3, 4>& corners);

/// Smallest angle of a triangle; 0 where two corners are the same. For reports only, too.
[[nodiscard]] double smallest_angle_degrees(const Point3& a, const Point3& b, const Point3& c);

}  // namespace mesh_refine
