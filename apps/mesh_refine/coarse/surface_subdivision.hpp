// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>

#include "geometry/geometry.hpp"
#include "size/size_field.hpp"

namespace mesh_refine {

/// Halves the edges of a checked surface that are longer than `factor` times the wanted edge
/// length, the relatively longest first, until none is. The shape does not change: every new point
/// lies in the middle of an edge. This is the separate preprocessing of the boundary that
/// section 5.3.2 of the PREMA paper plans; without it a coarse surface keeps the elements beside it
/// coarse, because the refinement never touches it. Nothing when that would take more than
/// `most_new` further triangles. Thread-safe, deterministic.
[[nodiscard]] std::optional<SurfaceMesh> subdivide_surface(
    SurfaceMesh mesh, const SizeField& size, double factor,
    std::size_t most_new = std::numeric_limits<std::size_t>::max());

struct BoundedSubdivision {
  SurfaceMesh surface;
  SizeField size;                 ///< the size field that it was cut for
  double enlargement = 1.0;       ///< factor on all lengths of the size field
  double wanted_triangles = 0.0;  ///< approximate number for the size field as it was given
};

/// subdivide_surface() with all lengths of the size field enlarged as far as it takes to need no
/// more than `most_new` further triangles. A thin body has so much more surface than volume that a
/// size field chosen for the volume alone would not end below millions.
[[nodiscard]] BoundedSubdivision subdivide_within(const SurfaceMesh& mesh, const SizeField& size,
                                                  double factor, std::size_t most_new);

}  // namespace mesh_refine
