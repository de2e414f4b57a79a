// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "mesh/spacetree.hpp"
#include "solve/solver.hpp"

namespace seismic {

/// The rule by which cells are divided and joined as waves pass: by the greatest velocity in a
/// cell.
struct AdaptRule {
  double interval = 0.0;      ///< s between changes of the mesh; 0: it stays
  double divide_above = 0.0;  ///< m/s
  double join_below = 0.0;    ///< m/s; all children of a cell must be below it
  int levels = 1;             ///< that cells may have at most
};

/// The greatest absolute velocity component at a cell's nodes, m/s. `state`: Layout::cell().
[[nodiscard]] double greatest_velocity(const Layout& layout, const double* state);

/// Divides and joins leaves of `tree`, whose mesh is `mesh` with these greatest velocities of its
/// cells, each by one level; no cell becomes coarser than `least` wants it. Returns whether
/// anything changed.
bool adapt(Spacetree& tree, const Mesh& mesh, std::span<const double> velocities,
           const AdaptRule& rule, const WantedLevel& least);
/// Adapts the tree by the solver's values, like adapt() above.
bool adapt(Spacetree& tree, const Solver& solver, const AdaptRule& rule, const WantedLevel& least);

/// Transfers values to a mesh whose cells differ from the old ones by one level at most: to divided
/// cells by interpolation, which is exact, to joined ones by L2 projection, which preserves
/// integrals.
class Transfer {
 public:
  /// The meshes outlive this.
  Transfer(const Mesh& from, const Mesh& to, const Basis& basis);

  /// The old cells from which a new cell's values are computed, in the order of the curve.
  [[nodiscard]] std::vector<CellIndex> origins(CellIndex cell) const;
  /// Adds the values of the origins, `states` in their order, to those of a new cell, zero at
  /// first.
  void fill(CellIndex cell, std::span<const double* const> states, double* out) const;

 private:
  using CellOfKey = std::unordered_map<CellKey, CellIndex, CellKeyHash>;

  const Mesh& from_;
  const Mesh& to_;
  Layout layout_;
  std::vector<PartOperators> parts_;
  CellOfKey old_cells_;
};

/// Transfers the wave field from one solver to another.
void transfer(const Solver& from, Solver& to);

}  // namespace seismic
