// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// How often a closed shell (some of the mesh's triangles) runs around a point that does not lie on
/// it: 1 inside an outward-oriented one, -1 inside one that is inside out, 0 outside. From the
/// solid angles of the triangles (van Oosterom and Strackee, "The solid angle of a plane triangle",
/// 1983). Thread-safe.
[[nodiscard]] int winding_number(const SurfaceMesh& mesh, std::span<const std::uint32_t> shell,
                                 const Point3& p);

}  // namespace mesh_refine
