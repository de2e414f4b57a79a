// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <variant>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// The formats that libraries read, by extension in lower case: VTK's own, in all their forms, by
/// VTK; Gmsh, binary Medit and others by meshio.
[[nodiscard]] bool is_read_by_library(std::string_view extension);

/// Reads a file of such a format by the Python library for it, in a process of its own. Gives its
/// tetrahedra or, where it has none, its polygons cut into triangles, with valid indices and finite
/// coordinates; whether they form a body is the business of check_tet_mesh and check_surface.
/// Throws InputError, PreparationError when Python or the library is missing. Blocks. Thread-safe.
[[nodiscard]] std::variant<SurfaceMesh, TetMesh> read_by_library(const std::filesystem::path& file);

}  // namespace mesh_refine
