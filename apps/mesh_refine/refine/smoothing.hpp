// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "refine/tet_complex.hpp"

namespace mesh_refine {

/// Moves vertices that are not fixed so that the worst of the tetrahedra around each gets better
/// (optimisation-based smoothing after Freitag and Ollivier-Gooch, Int. J. Numer. Meth. Eng. 40,
/// 1997), once each, where that worst quality is below `target`. Every step keeps all orientations
/// positive by exact tests and never lowers the worst quality around the vertex. Points with an
/// index below `first_free` are fixed. Deterministic. Returns the number of moved vertices.
std::size_t smooth(TetComplex& complex, PointIndex first_free, double target);

}  // namespace mesh_refine
