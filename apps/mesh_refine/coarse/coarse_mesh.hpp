// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "geometry/geometry.hpp"
#include "size/size_field.hpp"

namespace mesh_refine {

struct CoarseMeshOptions {
  /// Largest ratio of circumradius to shortest edge TetGen aims at.
  double radius_edge_ratio = 1.8;
  /// Dihedral angle that TetGen adds points and swaps edges for, where the surface lets it; 0:
  /// none.
  double least_dihedral_degrees = 0.0;
  /// Wanted edge length of the coarse mesh as a multiple of the size field's.
  double size_factor = 2.0;
  std::chrono::milliseconds time_limit{120'000};
  /// Bound on the points that TetGen adds, against thin bodies.
  std::uint64_t most_new_points = 10'000'000;
};

struct CoarseMesh {
  TetMesh mesh;
  double tetgen_seconds = 0.0;
  std::uint64_t tetgen_bytes = 0;  ///< most memory that TetGen took
};

/// Fills a checked surface (see check_surface) with tetrahedra, graded as `size` asks, by running
/// the program `tetgen` in a temporary directory that is removed afterwards. The boundary triangles
/// of the result are exactly those of the surface; its volume equals the enclosed volume to 1e-10
/// relative. Error messages name `file` and what is wrong with `input`, the surface as the file has
/// it. Blocks while TetGen runs. Throws InputError when the surface cannot be filled (for example
/// because it intersects itself), PreparationError without TetGen or space for temporary files.
[[nodiscard]] CoarseMesh coarse_mesh(const SurfaceMesh& surface, const SurfaceMesh& input,
                                     const std::filesystem::path& file, const SizeField& size,
                                     const CoarseMeshOptions& options = {});

}  // namespace mesh_refine
