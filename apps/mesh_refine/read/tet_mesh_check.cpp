// SPDX-License-Identifier: Apache-2.0
#include "read/tet_mesh_check.hpp"

#include "check/compensated_sum.hpp"
#include "geometry/face_adjacency.hpp"
#include "read/input_error.hpp"
#include "read/surface_check.hpp"
#include "refine/predicates.hpp"

namespace mesh_refine {
namespace {

void orient(TetMesh& mesh, const std::filesystem::path& file) {
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    auto& p = mesh.tets[t].point;
    // A repeated corner makes the tetrahedron flat, so one exact test covers both.
    const int sign =
        orient3d(mesh.points[p[0]], mesh.points[p[1]], mesh.points[p[2]], mesh.points[p[3]]);
    if (sign == 0) {
      throw InputError(file, 0,
                       "tetrahedron " + std::to_string(t) + " (counted from 0) of zero volume",
                       "four corners that do not lie in one plane");
    }
    if (sign < 0) std::swap(p[2], p[3]);
  }
}

/// True when the corners run in the rotational sense of the ascending order.
bool runs_ascending(const std::array<PointIndex, 3>& c) {
  return (c[0] < c[1]) == ((c[1] < c[2]) == (c[0] < c[2]));
}

void check_faces(const TetMesh& mesh, const std::filesystem::path& file) {
  const std::vector<FaceRecord> faces = sorted_faces(mesh.tets);
  for (std::size_t i = 1; i < faces.size(); ++i) {
    const FaceRecord& a = faces[i - 1];
    const FaceRecord& b = faces[i];
    if (a.key != b.key) continue;
    const std::string pair = "tetrahedra " + std::to_string(a.tet) + " and " +
                             std::to_string(b.tet) + " (counted from 0)";
    if (i + 1 < faces.size() && faces[i + 1].key == a.key) {
      throw InputError(file, 0, pair + " and a third one at the same face",
                       "at most two tetrahedra at every face");
    }
    if (runs_ascending(face_corners(mesh.tets[a.tet], a.face)) ==
        runs_ascending(face_corners(mesh.tets[b.tet], b.face))) {
      throw InputError(file, 0, pair + " on the same side of their common face",
                       "tetrahedra that do not overlap");
    }
  }
}

}  // namespace

double total_volume(const TetMesh& mesh) {
  CompensatedSum volume;
  for (const Tetrahedron& t : mesh.tets) {
    volume.add(signed_volume(mesh.points[t.point[0]], mesh.points[t.point[1]],
                             mesh.points[t.point[2]], mesh.points[t.point[3]]));
  }
  return volume.value();
}

TetMesh check_tet_mesh(TetMesh mesh, const std::filesystem::path& file) {
  if (mesh.tets.empty()) throw InputError(file, 0, "no tetrahedra", "at least one tetrahedron");
  drop_unused_points(mesh.points, mesh.tets);
  orient(mesh, file);
  check_faces(mesh, file);
  return mesh;
}

}  // namespace mesh_refine
