// SPDX-License-Identifier: Apache-2.0
#include "cut/partition.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cut/dual_graph_cut.hpp"
#include "geometry/face_adjacency.hpp"
#include "refine/tet_shape.hpp"

namespace mesh_refine {
namespace {

std::array<Point3, 4> corners_of(const TetMesh& mesh, TetIndex t) {
  const auto& p = mesh.tets[t].point;
  return {mesh.points[p[0]], mesh.points[p[1]], mesh.points[p[2]], mesh.points[p[3]]};
}

std::vector<double> weights_of(const TetMesh& mesh, const SizeField& size, double exponent) {
  std::vector<double> weights;
  weights.reserve(mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto c = corners_of(mesh, static_cast<TetIndex>(t));
    const double volume = std::max(signed_volume(c[0], c[1], c[2], c[3]), 0.0);
    weights.push_back(std::pow(volume, 1.0 - exponent) *
                      std::pow(estimated_cost(c, size), exponent));
  }
  return weights;
}

/// Tetrahedra of each part that has any, nearest part first.
std::vector<std::vector<TetIndex>> order_parts(const TetMesh& mesh, const SizeField& size,
                                               const std::vector<std::uint32_t>& part,
                                               std::uint32_t parts) {
  std::vector<std::vector<TetIndex>> members(parts);
  for (std::size_t t = 0; t < part.size(); ++t) {
    members[part[t]].push_back(static_cast<TetIndex>(t));
  }
  std::erase_if(members, [](const auto& tets) { return tets.empty(); });
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < members.size(); ++i) {
    Point3 centre;
    for (const TetIndex t : members[i]) {
      const auto c = corners_of(mesh, t);
      centre = centre + 0.25 * ((c[0] + c[1]) + (c[2] + c[3]));
    }
    centre = 1.0 / static_cast<double>(members[i].size()) * centre;
    order.emplace_back(size.distance(centre), i);
  }
  std::ranges::sort(order);
  std::vector<std::vector<TetIndex>> sorted;
  sorted.reserve(order.size());
  for (const auto& [distance, i] : order) sorted.push_back(std::move(members[i]));
  return sorted;
}

/// Builds subdomains one after the other with one pair of tables of the coarse mesh's size.
class SubdomainBuilder {
 public:
  explicit SubdomainBuilder(const TetMesh& mesh)
      : mesh_(mesh), local_(mesh.points.size(), unused_point) {}

  Subdomain build(std::uint32_t id, const std::vector<TetIndex>& members) {
    Subdomain s;
    s.id = id;
    for (const TetIndex t : members) s.tets.push_back(mesh_.tets[t]);
    const std::vector<PointIndex> order = points_boundary_first(s.tets, s.global_points);
    for (const PointIndex p : order) {
      local_[p] = static_cast<PointIndex>(s.points.size());
      s.points.push_back(mesh_.points[p]);
    }
    for (Tetrahedron& tet : s.tets) {
      for (PointIndex& p : tet.point) p = local_[p];
    }
    for (const PointIndex p : order) local_[p] = unused_point;
    s.set_coarse();
    return s;
  }

 private:
  static constexpr PointIndex unused_point = 0xffffffffU;

  /// Coarse indices of the points of these tetrahedra; `boundary` gets those of boundary faces.
  static std::vector<PointIndex> points_boundary_first(const std::vector<Tetrahedron>& tets,
                                                       std::vector<PointIndex>& boundary) {
    const std::vector<FaceRecord> faces = sorted_faces(tets);
    for (std::size_t i = 0; i < faces.size(); ++i) {
      if (i + 1 < faces.size() && faces[i].key == faces[i + 1].key) {
        ++i;
      } else {
        boundary.insert(boundary.end(), faces[i].key.begin(), faces[i].key.end());
      }
    }
    make_set(boundary);
    std::vector<PointIndex> all;
    for (const Tetrahedron& tet : tets) all.insert(all.end(), tet.point.begin(), tet.point.end());
    make_set(all);
    std::vector<PointIndex> order = boundary;
    std::ranges::set_difference(all, boundary, std::back_inserter(order));
    return order;
  }

  static void make_set(std::vector<PointIndex>& points) {
    std::ranges::sort(points);
    points.erase(std::unique(points.begin(), points.end()), points.end());
  }

  const TetMesh& mesh_;
  std::vector<PointIndex> local_;
};

std::vector<bool> flat_tets(const TetMesh& mesh, double degrees) {
  std::vector<bool> flat(mesh.tets.size());
  for (std::size_t t = 0; t < flat.size(); ++t) {
    flat[t] = dihedral_angles(corners_of(mesh, static_cast<TetIndex>(t))).smallest < degrees;
  }
  return flat;
}

}  // namespace

std::vector<Subdomain> partition(const TetMesh& mesh, const SizeField& size,
                                 const PartitionOptions& options) {
  if (options.subdomains == 0) throw std::invalid_argument("the number of subdomains is 0");
  const auto neighbours = face_neighbours(mesh.tets);
  const std::vector<double> weights = weights_of(mesh, size, options.cost_exponent);
  std::vector<bool> keep_whole;
  if (options.least_interface_dihedral_degrees > 0.0) {
    keep_whole = flat_tets(mesh, options.least_interface_dihedral_degrees);
  }
  std::vector<std::uint32_t> part =
      cut_dual_graph(neighbours, weights, keep_whole, options.subdomains, options.seed);
  join_crumbs(neighbours, part);
  SubdomainBuilder builder(mesh);
  std::vector<Subdomain> result;
  for (const auto& members : order_parts(mesh, size, part, options.subdomains)) {
    result.push_back(builder.build(static_cast<std::uint32_t>(result.size()), members));
  }
  return result;
}

}  // namespace mesh_refine
