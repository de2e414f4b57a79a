// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "geometry/geometry.hpp"

namespace mesh_refine {

using TetIndex = std::uint32_t;

/// Stands for the missing neighbour behind a boundary face.
inline constexpr TetIndex no_tet = 0xffffffffU;

/// One face of one tetrahedron, under a key that both of its sides share.
struct FaceRecord {
  std::array<PointIndex, 3> key{};  ///< corners in ascending order
  TetIndex tet = 0;
  std::uint32_t face = 0;  ///< 0 to 3, the face opposite that corner

  friend bool operator<(const FaceRecord& a, const FaceRecord& b) {
    if (a.key != b.key) return a.key < b.key;
    return a.tet != b.tet ? a.tet < b.tet : a.face < b.face;
  }
};

/// Corners of face `face` of `tet`, ordered so that the tetrahedron lies on the positive side.
[[nodiscard]] std::array<PointIndex, 3> face_corners(const Tetrahedron& tet, std::size_t face);

/// The corners in ascending order.
[[nodiscard]] std::array<PointIndex, 3> sorted_corners(std::array<PointIndex, 3> corners);

/// All faces, equal keys next to each other.
[[nodiscard]] std::vector<FaceRecord> sorted_faces(std::span<const Tetrahedron> tets);

/// Neighbour of each tetrahedron behind each of its faces, no_tet on the boundary. No face may be
/// shared by more than two tetrahedra.
[[nodiscard]] std::vector<std::array<TetIndex, 4>> face_neighbours(
    std::span<const Tetrahedron> tets);

}  // namespace mesh_refine
