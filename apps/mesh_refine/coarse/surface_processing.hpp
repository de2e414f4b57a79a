// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "geometry/geometry.hpp"

namespace mesh_refine {

// What CGAL does for surfaces, behind one source file because its headers are slow to compile. All
// functions are thread-safe and deterministic; coordinates must be finite.

/// Cuts a polygon with corners `corner` (indices into `points`, in order around it; it may be
/// concave, have corners on a straight line, and run to a hole and back along the same edge) into
/// triangles that turn as it does, in the plane of its mean normal, and appends them. Decides
/// exactly. Returns nothing, or what is wrong with the polygon, to be read after "a face that ".
[[nodiscard]] std::string triangulate_polygon(std::span<const Point3> points,
                                              std::span<const PointIndex> corner,
                                              std::vector<Triangle>& triangles);

struct SurfaceFaults {
  std::uint64_t intersecting_pairs = 0;  ///< of triangles that share more than corners and edges
  std::array<std::uint32_t, 2> first_pair{};  ///< the one with the lowest index
  std::uint64_t flat_triangles = 0;           ///< of no area; not looked at for intersections
  std::uint32_t first_flat = 0;
};

/// Compares all triangles whose boxes overlap, by exact tests.
[[nodiscard]] SurfaceFaults find_faults(const SurfaceMesh& surface);

/// Replaces the triangles of a checked surface (see check_surface) by nearly equilateral ones of
/// about the given edge length (Botsch and Kobbelt, "A remeshing approach to multiresolution
/// modeling", 2004). Edges whose two triangles' normals differ by more than `sharp_degrees` stay
/// where they are; elsewhere the new points lie on the old surface, so the enclosed volume changes
/// a little. Where the edges are too long for a narrow place the result intersects itself (see
/// find_faults). Throws std::runtime_error for surfaces that touch themselves in a point.
[[nodiscard]] SurfaceMesh remesh_surface(const SurfaceMesh& surface, double edge_length,
                                         double sharp_degrees);

}  // namespace mesh_refine
