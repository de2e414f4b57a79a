// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "check/subdomain_statistics.hpp"
#include "cut/subdomain.hpp"

namespace mesh_refine {

/// The whole mesh in figures, with the result of all checks.
struct MeshReport {
  std::vector<std::string> failures;  ///< one line per broken promise; empty when all hold
  std::uint64_t subdomains = 0;
  std::uint64_t tets = 0;
  std::uint64_t coarse_tets = 0;
  std::uint64_t inserted_points = 0;
  std::uint64_t interface_faces = 0;  ///< between two subdomains
  std::uint64_t surface_faces = 0;
  double volume = 0.0;
  double volume_error = 0.0;   ///< relative to the input's volume
  double worst_quality = 1.0;  ///< radius ratio, 0 to 1
  double mean_quality = 0.0;
  double smallest_dihedral_degrees = 180.0;
  double largest_dihedral_degrees = 0.0;
  std::uint64_t slivers = 0;  ///< with a dihedral angle below sliver_degrees
  /// Combination of the subdomains' checksums that does not depend on the order they arrived in.
  std::uint64_t checksum = 0;

  [[nodiscard]] bool passed() const { return failures.empty(); }
};

/// Collects the subdomains' statistics, in any order, and compares them. Not thread-safe.
class Verifier {
 public:
  /// `statistics` and `faces` of the same refined subdomain (Subdomain::statistics,
  /// Subdomain::interface_faces).
  void add(const SubdomainStatistics& statistics, const std::vector<InterfaceFace>& faces);

  /// Checks that all `subdomains` have come, each once and refined; that all tetrahedra are
  /// positively oriented; that volumes agree to 1e-10 relative, each subdomain's with its own
  /// before refinement and their sum with the input's; that no boundary face has changed; that
  /// interface faces are identical on both sides and no face has a third side.
  [[nodiscard]] MeshReport finish(std::uint64_t subdomains, double input_volume);

 private:
  std::vector<SubdomainStatistics> statistics_;
  std::vector<InterfaceFace> faces_;
};

}  // namespace mesh_refine
