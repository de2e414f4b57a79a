// SPDX-License-Identifier: Apache-2.0
#include "cut/subdomain.hpp"

#include <algorithm>

#include "check/checksum.hpp"
#include "check/compensated_sum.hpp"
#include "geometry/face_adjacency.hpp"
#include "refine/point_insertion.hpp"
#include "refine/predicates.hpp"
#include "refine/smoothing.hpp"
#include "refine/swapping.hpp"
#include "refine/tet_complex.hpp"
#include "refine/tet_shape.hpp"

namespace mesh_refine {
namespace {

std::array<Point3, 4> corners_of(const Subdomain& s, const Tetrahedron& tet) {
  return {s.points[tet.point[0]], s.points[tet.point[1]], s.points[tet.point[2]],
          s.points[tet.point[3]]};
}

double volume_of(const Subdomain& s) {
  CompensatedSum volume;
  for (const Tetrahedron& tet : s.tets) {
    const auto c = corners_of(s, tet);
    volume.add(signed_volume(c[0], c[1], c[2], c[3]));
  }
  return volume.value();
}

std::uint64_t hash_of_boundary_points(const Subdomain& s) {
  Checksum hash;
  for (std::size_t p = 0; p < s.global_points.size(); ++p) hash.add(s.points[p]);
  return hash.value();
}

/// Faces with one tetrahedron, corners as seen from outside, the smallest one first.
std::vector<Triangle> boundary_faces(const Subdomain& s) {
  const std::vector<FaceRecord> faces = sorted_faces(s.tets);
  std::vector<Triangle> boundary;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (i + 1 < faces.size() && faces[i].key == faces[i + 1].key) {
      ++i;
      continue;
    }
    auto corners = face_corners(s.tets[faces[i].tet], faces[i].face);
    std::swap(corners[1], corners[2]);
    std::rotate(corners.begin(), std::ranges::min_element(corners), corners.end());
    boundary.push_back({corners});
  }
  return boundary;
}

/// Faces that are in one of the two ordered lists only.
std::uint64_t count_differences(const std::vector<Triangle>& a, const std::vector<Triangle>& b) {
  std::vector<Triangle> difference;
  std::ranges::set_symmetric_difference(a, b, std::back_inserter(difference), {}, &Triangle::point,
                                        &Triangle::point);
  return difference.size();
}

void improve(TetComplex& complex, PointIndex first_free, const RefineSettings& settings) {
  Swapping swapping(complex);
  for (std::uint32_t sweep = 0; sweep < settings.improvement_sweeps; ++sweep) {
    const std::size_t swaps = swapping.run(settings.improvement_target);
    const std::size_t moves = smooth(complex, first_free, settings.improvement_target);
    if (swaps + moves == 0) return;
  }
}

void take_result(Subdomain& s, const TetComplex& complex) {
  constexpr PointIndex unused = 0xffffffffU;
  const std::size_t fixed = s.global_points.size();
  std::vector<PointIndex> new_index(complex.point_count(), unused);
  for (std::size_t p = 0; p < fixed; ++p) new_index[p] = static_cast<PointIndex>(p);
  s.tets.clear();
  for (std::size_t t = 0; t < complex.slots(); ++t) {
    const TetComplex::Cell& cell = complex.cell(static_cast<TetIndex>(t));
    if (!cell.alive) continue;
    s.tets.push_back({cell.point});
    for (const PointIndex p : cell.point) new_index[p] = std::min(new_index[p], unused - 1);
  }
  s.points.resize(fixed);
  for (std::size_t p = fixed; p < complex.point_count(); ++p) {
    if (new_index[p] == unused) continue;
    new_index[p] = static_cast<PointIndex>(s.points.size());
    s.points.push_back(complex.point(static_cast<PointIndex>(p)));
  }
  for (Tetrahedron& tet : s.tets) {
    for (PointIndex& p : tet.point) p = new_index[p];
  }
}

}  // namespace

void Subdomain::set_coarse() {
  fixed_faces = boundary_faces(*this);
  std::ranges::sort(fixed_faces, {}, &Triangle::point);
  boundary_hash = hash_of_boundary_points(*this);
  coarse_tets = tets.size();
  coarse_volume = volume_of(*this);
  inserted_points = 0;
  refined = 0;
}

void Subdomain::refine(const SizeField& size, const RefineSettings& settings) {
  TetComplex complex(points, tets);
  inserted_points += PointInsertion(complex, size, settings).run();
  improve(complex, static_cast<PointIndex>(global_points.size()), settings);
  take_result(*this, complex);
  refined = 1;
}

SubdomainStatistics Subdomain::statistics() const {
  SubdomainStatistics result;
  result.id = id;
  result.refined = refined;
  result.points = points.size();
  result.tets = tets.size();
  result.coarse_tets = coarse_tets;
  result.inserted_points = inserted_points;
  result.coarse_volume = coarse_volume;
  result.volume = volume_of(*this);
  result.checksum = checksum();
  for (const Tetrahedron& tet : tets) {
    const auto c = corners_of(*this, tet);
    if (orient3d(c[0], c[1], c[2], c[3]) <= 0) ++result.inverted_tets;
    const double quality = radius_ratio(c[0], c[1], c[2], c[3]);
    const DihedralAngles angles = dihedral_angles(c);
    result.worst_quality = std::min(result.worst_quality, quality);
    result.quality_sum += quality;
    if (angles.smallest < sliver_degrees) ++result.slivers;
    result.smallest_dihedral_degrees = std::min(result.smallest_dihedral_degrees, angles.smallest);
    result.largest_dihedral_degrees = std::max(result.largest_dihedral_degrees, angles.largest);
  }
  std::vector<Triangle> faces = boundary_faces(*this);
  std::ranges::sort(faces, {}, &Triangle::point);
  result.changed_faces = count_differences(faces, fixed_faces);
  if (hash_of_boundary_points(*this) != boundary_hash) {
    result.changed_faces += fixed_faces.size();
  }
  return result;
}

std::uint64_t Subdomain::checksum() const {
  Checksum hash;
  hash.add(std::uint64_t{points.size()});
  for (const Point3& p : points) hash.add(p);
  hash.add(std::uint64_t{tets.size()});
  for (const Tetrahedron& tet : tets) {
    hash.add(std::uint64_t{tet.point[0]} | (std::uint64_t{tet.point[1]} << 32U));
    hash.add(std::uint64_t{tet.point[2]} | (std::uint64_t{tet.point[3]} << 32U));
  }
  return hash.value();
}

std::vector<InterfaceFace> Subdomain::interface_faces() const {
  std::vector<InterfaceFace> result;
  for (const Triangle& face : boundary_faces(*this)) {
    std::array<PointIndex, 3> local = face.point;
    // A point that is not one of the boundary's has no index in the coarse mesh; the highest index
    // makes the comparison fail.
    const auto global = [&](PointIndex p) {
      return p < global_points.size() ? global_points[p] : 0xffffffffU;
    };
    std::ranges::sort(local, {}, global);
    Checksum position;
    for (const PointIndex p : local) position.add(points[p]);
    result.push_back({{global(local[0]), global(local[1]), global(local[2])}, position.value()});
  }
  std::ranges::sort(result);
  return result;
}

std::vector<float> Subdomain::qualities() const {
  std::vector<float> result;
  result.reserve(tets.size());
  for (const Tetrahedron& tet : tets) {
    const auto c = corners_of(*this, tet);
    result.push_back(static_cast<float>(radius_ratio(c[0], c[1], c[2], c[3])));
  }
  return result;
}

double estimated_cost(const std::array<Point3, 4>& corners, const SizeField& size) {
  // A regular tetrahedron of edge h has the volume h^3 / (6 sqrt(2)).
  constexpr double regular = 0.11785113019775793;
  const Point3 centroid = 0.25 * ((corners[0] + corners[1]) + (corners[2] + corners[3]));
  const double wanted = size.at(centroid);
  const double volume = std::abs(signed_volume(corners[0], corners[1], corners[2], corners[3]));
  return 1.0 + volume / (regular * wanted * wanted * wanted);
}

double estimated_cost(const Subdomain& subdomain, const SizeField& size) {
  CompensatedSum cost;
  for (const Tetrahedron& tet : subdomain.tets) {
    cost.add(estimated_cost(corners_of(subdomain, tet), size));
  }
  return cost.value();
}

}  // namespace mesh_refine
