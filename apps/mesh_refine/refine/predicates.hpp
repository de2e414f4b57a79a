// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// Exact sign of the volume of (a, b, c, d): +1 when d sees a, b, c counter-clockwise, 0 when the
/// four points are coplanar, -1 otherwise. Thread-safe, deterministic, never blocks.
[[nodiscard]] int orient3d(const Point3& a, const Point3& b, const Point3& c, const Point3& d);

/// Exact position of p relative to the circumsphere of the positively oriented (a, b, c, d):
/// +1 strictly inside, 0 on the sphere, -1 outside. Thread-safe, deterministic, never blocks.
[[nodiscard]] int insphere(const Point3& a, const Point3& b, const Point3& c, const Point3& d,
                           const Point3& p);

}  // namespace mesh_refine
