// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mesh_refine {

/// How a subdomain is refined; the same for all subdomains of a run. Trivially copyable.
struct RefineSettings {
  /// A tetrahedron is too large when its circumradius exceeds this multiple of the wanted edge
  /// length (0.61 for the regular tetrahedron).
  double largest_circumradius = 0.7;
  /// A tetrahedron is badly shaped when circumradius / shortest edge exceeds this.
  double largest_radius_edge_ratio = 2.0;
  /// A point closer than this multiple of the wanted edge length to others is not inserted.
  double least_spacing = 0.55;
  /// A point is not inserted if it makes a tetrahedron of a lower radius ratio, unless the ones it
  /// replaces were worse.
  double quality_floor = 0.2;
  /// Tetrahedra of a lower radius ratio are improved by swapping and by moving their vertices.
  double improvement_target = 0.7;
  /// How often all of them are tried.
  std::uint32_t improvement_sweeps = 6;
  /// Bound on the points inserted per subdomain, against size fields far too small for the memory.
  std::uint64_t most_points = 20'000'000;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(largest_circumradius, largest_radius_edge_ratio, least_spacing, quality_floor,
            improvement_target, improvement_sweeps, most_points);
  }
};

}  // namespace mesh_refine
