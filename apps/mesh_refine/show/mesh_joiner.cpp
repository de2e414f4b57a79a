// SPDX-License-Identifier: Apache-2.0
#include "show/mesh_output.hpp"

namespace mesh_refine {

void MeshJoiner::add(const Subdomain& subdomain, std::int32_t rank) {
  constexpr PointIndex missing = 0xffffffffU;
  std::vector<PointIndex> index(subdomain.points.size());
  for (std::size_t p = 0; p < subdomain.points.size(); ++p) {
    index[p] = static_cast<PointIndex>(mesh_.points.size());
    if (p < subdomain.global_points.size()) {
      const std::uint32_t global = subdomain.global_points[p];
      if (global >= joined_.size()) joined_.resize(global + std::size_t{1}, missing);
      if (joined_[global] != missing) {
        index[p] = joined_[global];
        continue;
      }
      joined_[global] = index[p];
    }
    mesh_.points.push_back(subdomain.points[p]);
  }
  for (Tetrahedron tet : subdomain.tets) {
    for (PointIndex& p : tet.point) p = index[p];
    mesh_.tets.push_back(tet);
  }
  mesh_.subdomain.resize(mesh_.tets.size(), static_cast<std::int32_t>(subdomain.id));
  mesh_.rank.resize(mesh_.tets.size(), rank);
  const std::vector<float> quality = subdomain.qualities();
  mesh_.quality.insert(mesh_.quality.end(), quality.begin(), quality.end());
}

}  // namespace mesh_refine
