// SPDX-License-Identifier: Apache-2.0
#include "geometry/face_adjacency.hpp"

#include <algorithm>

namespace mesh_refine {

std::array<PointIndex, 3> face_corners(const Tetrahedron& tet, std::size_t face) {
  const auto& corner = corners_of_face[face];
  return {tet.point[corner[0]], tet.point[corner[1]], tet.point[corner[2]]};
}

std::array<PointIndex, 3> sorted_corners(std::array<PointIndex, 3> corners) {
  std::ranges::sort(corners);
  return corners;
}

std::vector<FaceRecord> sorted_faces(std::span<const Tetrahedron> tets) {
  std::vector<FaceRecord> faces;
  faces.reserve(4 * tets.size());
  for (std::size_t t = 0; t < tets.size(); ++t) {
    for (std::uint32_t f = 0; f < 4; ++f) {
      faces.push_back({sorted_corners(face_corners(tets[t], f)), static_cast<TetIndex>(t), f});
    }
  }
  std::ranges::sort(faces, [](const FaceRecord& a, const FaceRecord& b) { return a < b; });
  return faces;
}

std::vector<std::array<TetIndex, 4>> face_neighbours(std::span<const Tetrahedron> tets) {
  std::vector<std::array<TetIndex, 4>> neighbours(tets.size(), {no_tet, no_tet, no_tet, no_tet});
  const std::vector<FaceRecord> faces = sorted_faces(tets);
  for (std::size_t i = 1; i < faces.size(); ++i) {
    const FaceRecord& a = faces[i - 1];
    const FaceRecord& b = faces[i];
    if (a.key != b.key) continue;
    neighbours[a.tet][a.face] = b.tet;
    neighbours[b.tet][b.face] = a.tet;
  }
  return neighbours;
}

}  // namespace mesh_refine
