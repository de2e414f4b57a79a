// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "geometry/face_adjacency.hpp"

namespace mesh_refine {

/// Part of each tetrahedron, 0 to parts - 1: METIS k-way on the graph of face neighbours, with
/// vertex weights (positive) whose sums are to be about equal. Faces of the tetrahedra marked in
/// `keep_whole` (all of them or, if empty, none) are cut only where it saves many others. Some
/// parts may be empty or, where METIS leaves crumbs, not connected; see join_crumbs. Throws
/// std::runtime_error when METIS fails.
[[nodiscard]] std::vector<std::uint32_t> cut_dual_graph(
    std::span<const std::array<TetIndex, 4>> neighbours, std::span<const double> weights,
    const std::vector<bool>& keep_whole, std::uint32_t parts, std::int32_t seed);

/// Gives every piece of a part that is not its largest to the neighbouring part that it shares most
/// faces with. A piece without neighbours stays.
void join_crumbs(std::span<const std::array<TetIndex, 4>> neighbours,
                 std::vector<std::uint32_t>& part);

}  // namespace mesh_refine
