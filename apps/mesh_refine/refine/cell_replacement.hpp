// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "refine/tet_complex.hpp"

namespace mesh_refine {

/// Replaces a few live tetrahedra by others that fill the same space with the same outer faces, and
/// joins them to each other and to their surroundings. For small numbers: the time grows with the
/// square.
void replace_cells(TetComplex& complex, std::span<const TetIndex> old_cells,
                   std::span<const std::array<PointIndex, 4>> new_cells);

}  // namespace mesh_refine
