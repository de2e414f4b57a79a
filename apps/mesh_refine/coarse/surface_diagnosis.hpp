// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// What is wrong with a checked surface (see check_surface) that could not be filled: intersections
/// of itself, bodies that overlap, triangles of no area, with their number and the place of the
/// first; nothing when all that is in order. Compares triangles pairwise (see find_faults).
[[nodiscard]] std::optional<std::string> diagnose(const SurfaceMesh& surface);

}  // namespace mesh_refine
