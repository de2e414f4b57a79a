// SPDX-License-Identifier: Apache-2.0
#include "read/winding_number.hpp"

#include <numbers>

#include "check/compensated_sum.hpp"

namespace mesh_refine {
namespace {

double half_solid_angle(const Point3& a, const Point3& b, const Point3& c) {
  const double x = norm(a);
  const double y = norm(b);
  const double z = norm(c);
  return std::atan2(dot(a, cross(b, c)), x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y);
}

}  // namespace

int winding_number(const SurfaceMesh& mesh, std::span<const std::uint32_t> shell, const Point3& p) {
  CompensatedSum angle;
  for (const std::uint32_t t : shell) {
    const auto& corner = mesh.triangles[t].point;
    angle.add(half_solid_angle(mesh.points[corner[0]] - p, mesh.points[corner[1]] - p,
                               mesh.points[corner[2]] - p));
  }
  return static_cast<int>(std::lround(angle.value() / (2.0 * std::numbers::pi)));
}

}  // namespace mesh_refine
