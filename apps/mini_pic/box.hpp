// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mini_pic {

/// Positions are whole numbers of units, of which the edge of a cube has so many: whether a point
/// is on one side of a plane through three others is then decided exactly.
constexpr std::int64_t units_per_cube = 1 << 18;

/// A position or a difference of positions, in units.
using Vector = std::array<std::int64_t, 3>;

/// A tetrahedron of the mesh.
struct Tetrahedron {
  std::int64_t id = 0;
  std::int32_t owner = 0;                ///< the part of the mesh that has it
  std::array<std::int64_t, 4> nodes{};   ///< their numbers
  std::array<std::int32_t, 4> owners{};  ///< the parts that have the nodes
  /// Where the nodes are, so that the tetrahedron is in one piece: beyond the end of the periodic
  /// box for some. The last three are counter-clockwise when seen from the first.
  std::array<Vector, 4> corners{};
};

/// The periodic box, how it is divided into tetrahedra, and how these are divided into parts. It is
/// made of cubes, each cut into six tetrahedra along its diagonal (Kuhn 1960); then each node is
/// moved at random. Plain bytes.
struct Box {
  Vector cubes{16, 4, 4};  ///< in each direction, 3 at least: so two nodes have one edge at most
  Vector parts{4, 2, 2};   ///< in each direction, not more than cubes
  double jitter = 0.15;    ///< the most by which nodes are moved in each direction, in cubes

  [[nodiscard]] std::int64_t cube_count() const { return cubes[0] * cubes[1] * cubes[2]; }
  [[nodiscard]] std::int32_t part_count() const {
    return static_cast<std::int32_t>(parts[0] * parts[1] * parts[2]);
  }
  /// The length in direction d, in units.
  [[nodiscard]] std::int64_t length(std::size_t d) const { return cubes[d] * units_per_cube; }
  /// The coordinates of a part, of which the last varies fastest.
  [[nodiscard]] Vector place_of(std::int32_t part) const;
  /// The cubes of a part by their coordinates, in the order of their numbers.
  [[nodiscard]] std::vector<Vector> cubes_of(std::int32_t part) const;
  /// The number of a cube, or of the node at its lowest corner.
  [[nodiscard]] std::int64_t number_of(const Vector& cube) const {
    return (cube[0] * cubes[1] + cube[1]) * cubes[2] + cube[2];
  }
  /// The tetrahedra of a part and all that touch them, each once, ordered by number. What a part
  /// gets of a tetrahedron is the same for all parts.
  [[nodiscard]] std::vector<Tetrahedron> tetrahedra_around(std::int32_t part) const;
  /// The first tetrahedron of a cube.
  [[nodiscard]] std::int64_t tetrahedron_in(const Vector& cube) const {
    return 6 * number_of(cube);
  }

 private:
  [[nodiscard]] std::int64_t begin_of(std::size_t d, std::int64_t part) const {
    return part * cubes[d] / parts[d];
  }
  [[nodiscard]] std::int32_t part_of(const Vector& cube) const;
  [[nodiscard]] Vector wrapped(const Vector& cube) const;
  [[nodiscard]] Vector node_position(const Vector& corner) const;
  void cut(const Vector& cube, std::vector<Tetrahedron>& all) const;
};

}  // namespace mini_pic
