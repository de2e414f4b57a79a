// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "molecular_dynamics/atoms.hpp"
#include "molecular_dynamics/grid.hpp"
#include "molecular_dynamics/vec3.hpp"

namespace md {

/// A periodic box divided into equal cubes, the cells. Forces act between a cell and those up to
/// `away` cells away from it. Each pair of cells is computed once: a cell's computations are those
/// with itself and with half of the cells around it.
class Cells {
 public:
  Cells() = default;
  Cells(const CellIndex& extent, double edge, std::int64_t away);

  [[nodiscard]] const CellIndex& extent() const { return extent_; }
  [[nodiscard]] double edge() const { return edge_; }
  [[nodiscard]] std::int64_t count() const { return extent_[0] * extent_[1] * extent_[2]; }
  [[nodiscard]] Vec3 box() const;
  /// The number of a cell in the order of x, y, z; z varies fastest.
  [[nodiscard]] std::int64_t number_of(const CellIndex& index) const;
  [[nodiscard]] CellIndex index_of(std::int64_t number) const;

  /// Number of computations per cell: 1 for itself, and half of the others up to `away` cells away:
  /// 14 for `away` 1.
  [[nodiscard]] std::int64_t computations() const {
    return static_cast<std::int64_t>(offsets_.size());
  }
  struct Neighbour {
    CellIndex index{};  ///< inside the box
    Vec3 shift;         ///< to be added to its positions: a multiple of the box
  };
  /// The other cell of a computation of `cell`; for computation 0 the cell itself.
  [[nodiscard]] Neighbour other_of(const CellIndex& cell, std::int64_t computation) const;
  /// The cell that owns the computation whose other cell is `cell`.
  [[nodiscard]] CellIndex owner_of(const CellIndex& cell, std::int64_t computation) const;
  /// The neighbouring cell in a direction of -1, 0 or 1 along each axis.
  [[nodiscard]] Neighbour beside(const CellIndex& cell, const CellIndex& direction) const;

  /// How far, along some axis, the farthest of the atoms is outside of its cell; 0 if none is.
  [[nodiscard]] double farthest_outside(const CellIndex& cell,
                                        const std::vector<Atom>& atoms) const;
  /// How far atoms may be outside of their cells without a pair within the cut-off being missed:
  /// two atoms may have come towards each other.
  [[nodiscard]] double space_around(double cutoff) const {
    return (static_cast<double>(away_) * edge_ - cutoff) / 2;
  }

  /// Removes those atoms that have left a cell and sorts them by direction, 0 to 26 (13, the cell
  /// itself, stays empty), with their positions moved into the box.
  [[nodiscard]] std::array<std::vector<Atom>, 27> take_leaving(const CellIndex& cell,
                                                               std::vector<Atom>& atoms) const;
  static constexpr std::size_t no_direction = 13;
  [[nodiscard]] static CellIndex direction(std::size_t number);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(extent_, edge_, away_, offsets_);
  }

 private:
  /// The cell at an index that may be outside of the box.
  [[nodiscard]] Neighbour wrapped(const CellIndex& index) const;

  CellIndex extent_{1, 1, 1};
  double edge_ = 1;
  std::int64_t away_ = 1;
  std::vector<CellIndex> offsets_;
};

}  // namespace md
