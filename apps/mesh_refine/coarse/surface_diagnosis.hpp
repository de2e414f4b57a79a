// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// Describes what is wrong with a checked surface (see check_surface) that could not be filled:
/// self-intersections, overlapping bodies, triangles without area, with their number and the place
/// of the first; empty if none is found. Compares triangles pairwise (see find_faults).
[[nodiscard]] std::optional<std::string> diagnose(const SurfaceMesh& surface);

}  // namespace mesh_refine
