// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.hpp"

namespace seismic {

/// A face of a cell, by its number among the cell's six.
struct CellFace {
  CellIndex cell;
  int face;
};

/// The faces whose traces two pieces exchange, in the same order on both sides.
struct Exchange {
  std::int32_t piece;              ///< the other one
  std::vector<CellFace> sends;     ///< of own cells
  std::vector<CellFace> receives;  ///< of cells of the other piece
};

/// A section of the curve as a mesh of its own: first its own cells in the order of the curve, then
/// the cells of other pieces that share a face with them. It contains the faces of its own cells;
/// for a hanging face whose coarse cell is not its own, only the own fine cells are given, and -1
/// for the others.
struct Piece {
  Mesh mesh;
  CellIndex own = 0;                ///< cells
  CellIndex first = 0;              ///< of the whole mesh: its first own cell
  std::vector<CellIndex> in_whole;  ///< of each cell, its index in the whole mesh
  std::vector<Exchange> exchanges;  ///< in ascending order of pieces
};

/// A mesh cut into pieces.
class Pieces {
 public:
  /// `begins`: as partition() returns it. The mesh outlives this.
  Pieces(const Mesh& mesh, std::vector<std::size_t> begins);

  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(faces_.size()); }
  [[nodiscard]] std::int32_t piece_of(CellIndex cell) const;
  [[nodiscard]] CellIndex begin(std::int32_t piece) const {
    return static_cast<CellIndex>(begins_[static_cast<std::size_t>(piece)]);
  }
  [[nodiscard]] CellIndex end(std::int32_t piece) const { return begin(piece + 1); }
  [[nodiscard]] Piece make(std::int32_t piece) const;

 private:
  struct Faces {
    std::vector<std::size_t> inner, hanging, boundary;  // indices of the mesh's lists
  };

  const Mesh& mesh_;
  std::vector<std::size_t> begins_;
  std::vector<Faces> faces_;  // of each piece
};

}  // namespace seismic
