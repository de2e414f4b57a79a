// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/spacetree.hpp"

namespace seismic {

using CellIndex = std::int32_t;

/// A cube of the mesh.
struct Cell {
  CellKey key;
  Point lower{};
  double size = 0.0;  ///< m
};

/// A face between cells of one size.
struct InnerFace {
  CellIndex lower;
  CellIndex upper;
  int direction;
};

/// A face of a coarse cell on `side` (0 lower, 1 upper) of it, beside refinement^2 fine ones.
struct HangingFace {
  CellIndex coarse;
  int direction;
  int side;
  std::array<CellIndex, 9> fine;  ///< [b * refinement + a], a and b the face's directions
};

struct BoundaryFace {
  CellIndex cell;
  int direction;
  int side;
};

/// The leaves of a spacetree in the order of the curve, and all their faces.
struct Mesh {
  RootGrid grid;
  std::vector<Cell> cells;
  std::vector<InnerFace> inner;
  std::vector<HangingFace> hanging;
  std::vector<BoundaryFace> boundary;
};

[[nodiscard]] Mesh make_mesh(const Spacetree& tree);

/// Cuts the curve into `parts` (1 or more) pieces whose greatest weight is as small as it can be.
/// Returns the first cell of each part, and the number of cells at the end.
[[nodiscard]] std::vector<std::size_t> partition(std::span<const double> weights,
                                                 std::size_t parts);

}  // namespace seismic
