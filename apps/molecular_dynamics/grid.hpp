// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "molecular_dynamics/vec3.hpp"

namespace md {

/// The position of a cell along x, y and z.
using CellIndex = std::array<std::int64_t, 3>;

/// A periodic box divided into equal cuboids, the cells. A cell has its lower faces, not its upper
/// ones.
struct Grid {
  CellIndex extent{1, 1, 1};
  std::array<double, 3> edges{1, 1, 1};  ///< of a cell

  [[nodiscard]] std::int64_t count() const { return extent[0] * extent[1] * extent[2]; }
  /// The number of a cell in the order of x, y, z; z varies fastest.
  [[nodiscard]] std::int64_t number_of(const CellIndex& cell) const {
    return (cell[0] * extent[1] + cell[1]) * extent[2] + cell[2];
  }
  [[nodiscard]] CellIndex index_of(std::int64_t number) const {
    return {number / (extent[1] * extent[2]), number / extent[2] % extent[1], number % extent[2]};
  }
  [[nodiscard]] double lower(const CellIndex& cell, std::size_t axis) const {
    return static_cast<double>(cell[axis]) * edges[axis];
  }
  [[nodiscard]] double upper(const CellIndex& cell, std::size_t axis) const {
    return static_cast<double>(cell[axis] + 1) * edges[axis];
  }
  [[nodiscard]] bool contains(const CellIndex& cell, const Vec3& position) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double at = coordinate(position, axis);
      if (!(at >= lower(cell, axis) && at < upper(cell, axis))) return false;
    }
    return true;
  }
  /// The cell next to `cell` along an axis, on its lower or its upper side. At the border of the
  /// box it is the one at the opposite border.
  [[nodiscard]] CellIndex beside(const CellIndex& cell, std::size_t axis, bool is_upper) const {
    CellIndex other = cell;
    other[axis] = (cell[axis] + (is_upper ? 1 : extent[axis] - 1)) % extent[axis];
    return other;
  }
  /// What must be added to positions along the axis when they are passed from `cell` to that
  /// neighbour: 0, or at the border of the box plus or minus its length.
  [[nodiscard]] double shift_beside(const CellIndex& cell, std::size_t axis, bool is_upper) const {
    const double length = static_cast<double>(extent[axis]) * edges[axis];
    if (is_upper) return cell[axis] + 1 == extent[axis] ? -length : 0;
    return cell[axis] == 0 ? length : 0;
  }
};

}  // namespace md
