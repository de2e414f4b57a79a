// SPDX-License-Identifier: Apache-2.0
#include "refine/predicates.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

// The only file that includes CGAL: its headers are slow to compile, and they need
// -frounding-math, which is set for this file alone.

namespace mesh_refine {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

Kernel::Point_3 convert(const Point3& p) { return {p.x, p.y, p.z}; }

}  // namespace

int orient3d(const Point3& a, const Point3& b, const Point3& c, const Point3& d) {
  return static_cast<int>(Kernel::Orientation_3()(convert(a), convert(b), convert(c), convert(d)));
}

int insphere(const Point3& a, const Point3& b, const Point3& c, const Point3& d, const Point3& p) {
  return static_cast<int>(Kernel::Side_of_oriented_sphere_3()(convert(a), convert(b), convert(c),
                                                              convert(d), convert(p)));
}

}  // namespace mesh_refine
