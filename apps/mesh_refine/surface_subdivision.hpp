// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry.hpp"
#include "size_field.hpp"

namespace mesh_refine {

/// Halves the edges of a checked surface that are longer than `factor` times the wanted edge
/// length, the relatively longest first, until none is. The shape does not change: every new point
/// lies in the middle of an edge. This is the separate preprocessing of the boundary that
/// section 5.3.2 of the PREMA paper plans; without it a coarse surface keeps the elements beside it
/// coarse, because the refinement never touches it. Thread-safe, deterministic.
[[nodiscard]] SurfaceMesh subdivide_surface(SurfaceMesh mesh, const SizeField& size, double factor);

}  // namespace mesh_refine
