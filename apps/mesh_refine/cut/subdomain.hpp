// SPDX-License-Identifier: Apache-2.0
#pragma once

// cereal's part of a program that archives subdomains with cereal; other archives that follow its
// conventions bring their own.
#include <cereal/types/vector.hpp>

#include "check/subdomain_statistics.hpp"
#include "geometry/geometry.hpp"
#include "refine/refine_settings.hpp"
#include "size/size_field.hpp"

namespace mesh_refine {

/// A boundary face of a subdomain, under a name that both subdomains at an interface share.
struct InterfaceFace {
  std::array<std::uint32_t, 3> global{};  ///< corners in the coarse mesh, ascending
  std::uint64_t position = 0;             ///< hash of the corners' coordinates, in that order

  friend auto operator<=>(const InterfaceFace&, const InterfaceFace&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(global[0], global[1], global[2], position);
  }
};

/// A part of the mesh that is refined on its own, with its boundary (surface and interfaces to
/// other subdomains) fixed, as in section 5.3.2 of the PREMA paper. Self-contained: what refine()
/// does is a function of this object and its arguments, bit for bit, wherever it runs. Not
/// thread-safe; const members may run concurrently.
struct Subdomain {
  std::uint32_t id = 0;
  /// The first `global_points.size()` points lie on the boundary and never change.
  std::vector<Point3> points;
  std::vector<Tetrahedron> tets;
  /// Boundary faces as the coarse mesh has them, corners ordered as seen from outside.
  std::vector<Triangle> fixed_faces;
  /// Index of each boundary point in the coarse mesh.
  std::vector<std::uint32_t> global_points;
  std::uint64_t boundary_hash = 0;  ///< of the boundary points' coordinates at the start
  std::uint64_t coarse_tets = 0;
  std::uint64_t inserted_points = 0;
  double coarse_volume = 0.0;
  std::uint32_t refined = 0;

  /// Fills the rest from points, tets and global_points: the fixed faces and what they are compared
  /// with later. The tetrahedra must be positively oriented.
  void set_coarse();

  /// Refines to the size field. The work of the whole program is here.
  void refine(const SizeField& size, const RefineSettings& settings);
  void refine(const SizeField& size) { refine(size, RefineSettings{}); }

  /// Inspects the mesh as it is, with exact tests.
  [[nodiscard]] SubdomainStatistics statistics() const;

  /// Hash of the points and tetrahedra in order.
  [[nodiscard]] std::uint64_t checksum() const;

  /// The boundary faces of the mesh as it is (not as it was), ascending.
  [[nodiscard]] std::vector<InterfaceFace> interface_faces() const;

  /// Radius ratio of every tetrahedron.
  [[nodiscard]] std::vector<float> qualities() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, points, tets, fixed_faces, global_points, boundary_hash, coarse_tets,
            inserted_points, coarse_volume, refined);
  }
};

/// Number of tetrahedra that refinement to `size` is expected to make of this subdomain; the time
/// it takes is roughly proportional. Cheap.
[[nodiscard]] double estimated_cost(const Subdomain& subdomain, const SizeField& size);

/// Like estimated_cost() above, for one tetrahedron of the coarse mesh.
[[nodiscard]] double estimated_cost(const std::array<Point3, 4>& corners, const SizeField& size);

}  // namespace mesh_refine
