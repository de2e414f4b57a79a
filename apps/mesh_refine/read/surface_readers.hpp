// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "geometry/geometry.hpp"

namespace mesh_refine {

// Each reader takes the name of the file (for messages) and its content, and returns points and
// triangles with valid indices and finite coordinates; whether the triangles enclose a body is the
// business of check_surface. Polygons are cut into triangles in their plane. Each throws
// InputError. All are thread-safe.

/// Object File Format, text; colours and normals are skipped.
[[nodiscard]] SurfaceMesh read_off(const std::filesystem::path& file, std::string_view text);

/// STL, text or binary, of one or several solids. Corners with equal coordinates become one point;
/// triangles that collapse by that are dropped.
[[nodiscard]] SurfaceMesh read_stl(const std::filesystem::path& file, std::string_view text);

/// PLY, text or binary of either byte order, any scalar types; further elements and properties are
/// skipped, whatever values they have.
[[nodiscard]] SurfaceMesh read_ply(const std::filesystem::path& file, std::string_view text);

/// Wavefront OBJ, text: points and faces, whose points may be counted from the end of those before;
/// all else is skipped.
[[nodiscard]] SurfaceMesh read_obj(const std::filesystem::path& file, std::string_view text);

}  // namespace mesh_refine
