// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mesh/spacetree.hpp"
#include "solve/solver.hpp"

namespace seismic {

/// When cells are divided and joined as waves pass, by the greatest speed of the ground in a cell.
struct AdaptRule {
  double interval = 0.0;      ///< s between changes of the mesh; 0: it stays
  double divide_above = 0.0;  ///< m/s
  double join_below = 0.0;    ///< m/s; all children of a cell must be below it
  int levels = 1;             ///< that cells may have at most
};

/// The greatest absolute velocity component at a cell's nodes, m/s.
[[nodiscard]] double greatest_velocity(const Solver& solver, CellIndex cell);

/// Divides and joins leaves of `tree`, whose mesh is `solver`'s, each by one level; no cell becomes
/// coarser than `least` wants it. Returns whether anything changed.
bool adapt(Spacetree& tree, const Solver& solver, const AdaptRule& rule, const WantedLevel& least);

/// Takes the wave field over to a mesh whose cells differ from the old ones by one level at most:
/// divided cells by interpolation, which is exact, joined ones by the L2 projection, which keeps
/// integrals.
void transfer(const Solver& from, Solver& to);

}  // namespace seismic
