// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "geometry/geometry.hpp"

namespace mesh_refine {

// Each reader returns points with finite coordinates and tetrahedra with valid indices, oriented as
// in the file; check_tet_mesh does the rest. Each throws InputError. All are thread-safe.

/// TetGen's pair of files: `file` names the .node or the .ele file, its partner stands beside it.
[[nodiscard]] TetMesh read_tetgen(const std::filesystem::path& file);

/// Medit .mesh, text. Elements other than vertices and tetrahedra are skipped.
[[nodiscard]] TetMesh read_medit(const std::filesystem::path& file, std::string_view text);

}  // namespace mesh_refine
