// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mesh_refine {

inline constexpr double sliver_degrees = 5.0;

/// What a subdomain reports about itself. Trivially copyable.
struct SubdomainStatistics {
  std::uint32_t id = 0;
  std::uint32_t refined = 0;  ///< 1 after refine()
  std::uint64_t points = 0;
  std::uint64_t tets = 0;
  std::uint64_t coarse_tets = 0;
  std::uint64_t inserted_points = 0;
  std::uint64_t inverted_tets = 0;  ///< not strictly positively oriented, exact test
  std::uint64_t changed_faces = 0;  ///< boundary faces that are missing, new, turned or moved
  std::uint64_t checksum = 0;       ///< of points and tetrahedra in order
  double volume = 0.0;
  double coarse_volume = 0.0;  ///< before refinement
  double worst_quality = 1.0;  ///< radius ratio, 0 to 1
  double quality_sum = 0.0;    ///< over all tetrahedra
  double smallest_dihedral_degrees = 180.0;
  double largest_dihedral_degrees = 0.0;
  std::uint64_t slivers = 0;  ///< with a dihedral angle below sliver_degrees

  friend bool operator==(const SubdomainStatistics&, const SubdomainStatistics&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, refined, points, tets, coarse_tets, inserted_points, inverted_tets, changed_faces,
            checksum, volume, coarse_volume, worst_quality, quality_sum, smallest_dihedral_degrees,
            largest_dihedral_degrees, slivers);
  }
};

}  // namespace mesh_refine
