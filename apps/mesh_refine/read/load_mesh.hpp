// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <variant>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// A file of any supported format: a checked closed surface or a checked tetrahedral mesh.
using InputMesh = std::variant<SurfaceMesh, TetMesh>;

/// Reads and checks a file, told apart by its extension: .off, .stl, .ply, .obj (surfaces), .node,
/// .ele, .mesh (tetrahedra) here, others by a library (see read_by_library). Throws InputError,
/// PreparationError. Blocks while it reads. Thread-safe.
[[nodiscard]] InputMesh load_mesh(const std::filesystem::path& file);

/// Points of either kind of mesh.
[[nodiscard]] std::span<const Point3> points_of(const InputMesh& mesh);

}  // namespace mesh_refine
