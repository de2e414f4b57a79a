// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sw4 {

/// The points of a patch of the grid: nx x ny columns of nz points. Point k = 1 of a column lies on
/// the free surface, k = 0 is its ghost point. Two points more on each side of x and y are copies
/// of a neighbour's or, at the sides of the grid and under its bottom, zero. x runs fastest, then
/// y.
struct Extent {
  static constexpr std::int32_t halo = 2;

  std::int32_t nx = 0;
  std::int32_t ny = 0;
  std::int32_t nz = 0;

  [[nodiscard]] std::ptrdiff_t row() const { return nx + 2 * halo; }
  [[nodiscard]] std::ptrdiff_t plane() const { return row() * (ny + 2 * halo); }
  /// Points of an array.
  [[nodiscard]] std::size_t volume() const {
    return static_cast<std::size_t>(plane() * (nz + 1 + halo));
  }
  /// i from -2 to nx + 1, j from -2 to ny + 1, k from 0 to nz + 2.
  [[nodiscard]] std::ptrdiff_t at(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return (i + halo) + row() * (j + halo) + plane() * k;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(nx, ny, nz);
  }
};

}  // namespace sw4
