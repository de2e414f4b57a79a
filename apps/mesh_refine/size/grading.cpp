// SPDX-License-Identifier: Apache-2.0
#include "size/grading.hpp"

#include <algorithm>
#include <cmath>

#include "check/compensated_sum.hpp"
#include "geometry/face_adjacency.hpp"

namespace mesh_refine {
namespace {

/// Mean volume of the tetrahedra that the refinement makes for a wanted edge length of 1, measured;
/// the regular one has 0.118.
constexpr double mean_tet_volume = 0.1;

Point3 low_end(std::span<const Point3> points) {
  return extreme_point(points, -1.0 * longest_direction(points));
}

/// Mean of 1 / size^3 over a cone from the feature whose base is at this distance; Simpson's rule.
double mean_density(const SizeField& size, double distance) {
  constexpr int intervals = 32;
  double sum = 0.0;
  for (int i = 0; i <= intervals; ++i) {
    const double t = static_cast<double>(i) / intervals;
    const double wanted = std::min(
        size.largest, size.smallest + size.growth * std::max(0.0, t * distance - size.near));
    const double weight = i == 0 || i == intervals ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    sum += weight * t * t / (wanted * wanted * wanted);
  }
  return 3.0 * sum / (3.0 * intervals);
}

}  // namespace

double expected_elements(const SurfaceMesh& boundary, const SizeField& size) {
  // The body is the signed sum of the cones from the feature to the triangles.
  CompensatedSum sum;
  for (const Triangle& t : boundary.triangles) {
    const Point3& a = boundary.points[t.point[0]];
    const Point3& b = boundary.points[t.point[1]];
    const Point3& c = boundary.points[t.point[2]];
    const double volume = signed_volume(size.feature, a, b, c);
    const double distance = size.distance(1.0 / 3.0 * (a + b + c));
    sum.add(volume * mean_density(size, distance) / mean_tet_volume);
  }
  return sum.value();
}

SizeField choose_size_field(const SurfaceMesh& boundary, const GradingOptions& options) {
  SizeField size;
  size.feature = options.feature.value_or(low_end(boundary.points));
  const double length = norm(options.axis);
  if (length > 0.0) size.axis = 1.0 / length * options.axis;
  double extent = 0.0;
  for (const Point3& p : boundary.points) extent = std::max(extent, size.distance(p));
  size.near = options.near_share * extent;
  size.smallest = extent;
  size.largest = options.ratio * extent;
  size.growth = extent > size.near ? (options.ratio - 1.0) * extent / (extent - size.near) : 0.0;
  // All lengths scale alike, and the number of elements with their third power.
  const double scale = std::cbrt(expected_elements(boundary, size) / options.elements);
  size.smallest *= scale;
  size.largest *= scale;
  size.growth *= scale;
  return size;
}

SurfaceMesh boundary_of(const TetMesh& mesh) {
  SurfaceMesh surface{mesh.points, {}};
  const auto neighbours = face_neighbours(mesh.tets);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (std::size_t f = 0; f < 4; ++f) {
      if (neighbours[t][f] != no_tet) continue;
      auto corners = face_corners(mesh.tets[t], f);
      std::swap(corners[1], corners[2]);
      surface.triangles.push_back({corners});
    }
  }
  return surface;
}

}  // namespace mesh_refine
