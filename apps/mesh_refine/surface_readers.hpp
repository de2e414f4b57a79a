// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "geometry.hpp"

namespace mesh_refine {

// Each reader takes the name of the file (for messages) and its content, and returns points and
// triangles with valid indices and finite coordinates; whether the triangles enclose a body is the
// business of check_surface. Each throws InputError. All are thread-safe.

/// Object File Format, text. Polygons are cut into triangles; colours and normals are skipped.
[[nodiscard]] SurfaceMesh read_off(const std::filesystem::path& file, std::string_view text);

/// STL, text or binary. Corners with equal coordinates become one point; triangles that collapse
/// by that are dropped.
[[nodiscard]] SurfaceMesh read_stl(const std::filesystem::path& file, std::string_view text);

/// PLY, text or binary little-endian, any scalar types, further elements and properties skipped.
[[nodiscard]] SurfaceMesh read_ply(const std::filesystem::path& file, std::string_view text);

}  // namespace mesh_refine
