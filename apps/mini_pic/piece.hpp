// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "box.hpp"

namespace mini_pic {

/// What is beyond a face of a tetrahedron. Positions there are those here plus `shift` lengths of
/// the box.
struct Across {
  std::int32_t tetrahedron = -1;  ///< of this part; negative: -1 - n is the n-th of Piece::beyond
  std::array<std::int8_t, 3> shift{};
};

/// A tetrahedron of another part that has a face in common with one of this part.
struct Beyond {
  std::int32_t part = 0;
  std::int64_t tetrahedron = 0;  ///< its number in the whole mesh
};

/// A tetrahedron of a part. Plain bytes.
struct Cell {
  std::array<std::int32_t, 4> nodes{};  ///< their indices in the part
  std::array<Across, 4> across{};       ///< beyond the face opposite each corner
  Vector corner{};                      ///< position of the first corner
  std::array<Vector, 3> normals{};      ///< of the faces opposite the others, inwards
  std::int64_t volume = 0;              ///< six times the volume, in cubic units

  /// The barycentric coordinates of a point times six times the volume, exactly; one that is
  /// negative says that the point is beyond the face opposite that corner. The point must be within
  /// 6 cubes.
  [[nodiscard]] std::array<std::int64_t, 4> coordinates_of(const Vector& point) const {
    const Vector d{point[0] - corner[0], point[1] - corner[1], point[2] - corner[2]};
    std::array<std::int64_t, 4> all{};
    all[0] = volume;
    for (std::size_t i = 0; i < 3; ++i) {
      all[i + 1] = normals[i][0] * d[0] + normals[i][1] * d[1] + normals[i][2] * d[2];
      all[0] -= all[i + 1];
    }
    return all;
  }
  [[nodiscard]] bool contains(const Vector& point) const {
    const auto all = coordinates_of(point);
    return all[0] >= 0 && all[1] >= 0 && all[2] >= 0 && all[3] >= 0;
  }
  /// The gradients of the barycentric coordinates, per edge of a cube.
  [[nodiscard]] std::array<std::array<double, 3>, 4> gradients() const;
};

/// Nodes of this part whose values another part needs, and nodes of that part whose values this one
/// needs: indices, both in the order of the nodes' numbers.
struct Exchange {
  std::int32_t part = 0;
  std::vector<std::int32_t> send;
  std::vector<std::int32_t> receive;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(part, send, receive);
  }
};

/// An entry of the matrix of a part. Plain bytes.
struct Entry {
  std::int32_t column = 0;  ///< index of a node
  double value = 0;
};

/// The mesh as one part knows it: its own tetrahedra with what is beyond their faces, the nodes
/// that it owns, and those of others ("halo") that its tetrahedra, or those at its own nodes, have.
/// It is made from lists of nodes alone. Nodes of its own come first.
struct Piece {
  std::int32_t number = 0;  ///< of the part
  std::vector<Cell> cells;
  std::vector<std::int64_t> ids;  ///< of the cells, in rising order
  std::vector<Beyond> beyond;
  std::vector<Exchange> exchanges;    ///< with all parts that share nodes or faces, in rising order
  std::int64_t nodes = 0;             ///< own and halo
  std::vector<std::int64_t> own_ids;  ///< numbers of its own nodes, in rising order
  std::vector<std::int64_t> own_volumes;  ///< 24 times the integrals of their linear functions
  std::vector<std::int64_t> rows;         ///< where the entries of each own node begin, and the end
  /// The rows of the stiffness matrix of its own nodes, lengths in edges of cubes. The entries of a
  /// row are ordered by the numbers of nodes, and each is summed in the order of the tetrahedra's:
  /// they have the same bits however the mesh is divided.
  std::vector<Entry> entries;

  Piece() = default;
  /// Throws std::runtime_error if faces do not match, or a volume is not positive.
  Piece(const Box& box, std::int32_t part);
  /// The index of a cell of this part from its number. Throws std::out_of_range if it is not here.
  [[nodiscard]] std::int32_t cell_of(std::int64_t id) const;
  [[nodiscard]] std::size_t own_count() const { return own_ids.size(); }
  /// The position in `exchanges` of a part. Throws std::out_of_range if it is no neighbour.
  [[nodiscard]] std::size_t exchange_with(std::int32_t part) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, cells, ids, beyond, exchanges, nodes, own_ids, own_volumes, rows, entries);
  }
};

}  // namespace mini_pic
