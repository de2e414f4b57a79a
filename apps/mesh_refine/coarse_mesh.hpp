// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>

#include "geometry.hpp"
#include "size_field.hpp"

namespace mesh_refine {

struct CoarseMeshOptions {
  /// Largest ratio of circumradius to shortest edge TetGen aims at.
  double radius_edge_ratio = 1.8;
  /// Wanted edge length of the coarse mesh as a multiple of the size field's.
  double size_factor = 2.0;
  std::chrono::milliseconds time_limit{120'000};
};

/// Fills a checked surface (see check_surface) with tetrahedra, graded as `size` asks, by running
/// the program `tetgen` in a temporary directory that is removed afterwards. The boundary triangles
/// of the result are exactly those of the surface; its volume equals the enclosed volume to 1e-10
/// relative. `file` names the surface in error messages. Blocks while TetGen runs. Throws
/// InputError when the surface cannot be filled (for example because it intersects itself),
/// MissingProgram without TetGen.
[[nodiscard]] TetMesh coarse_mesh(const SurfaceMesh& surface, const std::filesystem::path& file,
                                  const SizeField& size, const CoarseMeshOptions& options = {});

}  // namespace mesh_refine
