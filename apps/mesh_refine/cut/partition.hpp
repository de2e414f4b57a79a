// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cut/subdomain.hpp"
#include "geometry/geometry.hpp"
#include "size/size_field.hpp"

namespace mesh_refine {

struct PartitionOptions {
  std::uint32_t subdomains = 192;
  /// What the parts get in equal amounts: 0: volume, 1: estimated cost; in between, costly regions
  /// get smaller parts that still cost more.
  double cost_exponent = 0.3;
  std::int32_t seed = 1;
  /// Elements with a smaller dihedral angle are not placed at interfaces if possible: their faces
  /// there would stay, and refinement could not improve them.
  double least_interface_dihedral_degrees = 0.0;
};

/// Cuts a checked mesh into subdomains with METIS (k-way, dual graph, fixed seed) and numbers them
/// by the distance of their centres to the feature of the size field, nearest first. Parts are
/// connected through faces wherever the mesh is. There may be fewer than asked for when the mesh is
/// small. Deterministic for a given METIS library. Throws std::invalid_argument for 0 subdomains
/// and std::runtime_error when METIS fails.
[[nodiscard]] std::vector<Subdomain> partition(const TetMesh& mesh, const SizeField& size,
                                               const PartitionOptions& options);

}  // namespace mesh_refine
