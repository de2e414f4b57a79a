// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace seismic {

/// The unknowns: velocity (m/s), then stress (Pa).
enum Quantity : int { vx, vy, vz, sxx, syy, szz, sxy, sxz, syz };
inline constexpr int quantities = 9;

/// Number of quantities on a face: velocity, then traction on the face's positive direction, three
/// components each.
inline constexpr int face_quantities = 6;

/// Faces of a cell: 2 * direction + side (0 lower, 1 upper).
inline constexpr int faces = 6;

inline constexpr int lowest_order = 1;
inline constexpr int highest_order = 9;

/// How the values of a cell lie in memory: [quantity][z][y][x], the x index padded to a multiple of
/// four, which keeps rows aligned for vectors of 32 bytes. Padding holds zeros.
/// Values of a face: [quantity][b][a], a and b its directions in ascending order (for a face across
/// y, a is x and b is z), a padded likewise. All sizes count doubles.
struct Layout {
  int nodes;  ///< in each direction

  [[nodiscard]] constexpr int row() const { return (nodes + 3) / 4 * 4; }
  [[nodiscard]] constexpr int plane() const { return nodes * row(); }
  [[nodiscard]] constexpr int volume() const { return nodes * plane(); }
  /// From one quantity to the next: the volume, and a cache line where nine quantities would else
  /// lie in the same sets of an L1 cache of 4 KiB a way.
  [[nodiscard]] constexpr int quantity() const {
    return volume() % 512 == 0 ? volume() + 8 : volume();
  }
  [[nodiscard]] constexpr std::size_t cell() const {
    return static_cast<std::size_t>(quantities * quantity());
  }
  [[nodiscard]] constexpr std::size_t face() const {
    return static_cast<std::size_t>(face_quantities * plane());
  }
  /// All six faces of a cell.
  [[nodiscard]] constexpr std::size_t traces() const { return faces * face(); }
  [[nodiscard]] constexpr int at(int x, int y, int z) const { return z * plane() + y * row() + x; }
};

/// The stress components of the traction on a face across `direction`.
[[nodiscard]] constexpr int traction_component(int direction, int component) {
  constexpr int table[3][3] = {{sxx, sxy, sxz}, {sxy, syy, syz}, {sxz, syz, szz}};
  return table[direction][component];
}

/// Bytes to which cells and faces are aligned in memory.
inline constexpr std::size_t alignment = 64;

}  // namespace seismic
