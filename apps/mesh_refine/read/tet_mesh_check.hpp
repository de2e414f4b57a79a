// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// Makes sure that tetrahedra form a mesh: four distinct corners, not flat (exact test), at most
/// two at every face and those on its two sides. Turns inverted ones and drops unused points.
/// Throws InputError naming `file` and the first offender. Thread-safe.
[[nodiscard]] TetMesh check_tet_mesh(TetMesh mesh, const std::filesystem::path& file);

/// Sum of the volumes, compensated.
[[nodiscard]] double total_volume(const TetMesh& mesh);

}  // namespace mesh_refine
