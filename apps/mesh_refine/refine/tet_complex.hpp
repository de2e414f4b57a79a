// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "geometry/face_adjacency.hpp"
#include "geometry/geometry.hpp"

namespace mesh_refine {

/// Tetrahedra with their neighbours, changed in place while a subdomain is refined. A face without
/// neighbour is fixed. Slots of removed tetrahedra are used again, last one first; everything is a
/// function of the calls made, so equal calls give equal meshes bit for bit. Not thread-safe; one
/// object per subdomain at work.
class TetComplex {
 public:
  struct Cell {
    std::array<PointIndex, 4> point{};
    std::array<TetIndex, 4> neighbour{};
    double quality = 0.0;
    std::uint32_t generation = 0;  ///< counts the tetrahedra that this slot has held
    bool alive = false;
  };

  TetComplex(std::vector<Point3> points, std::span<const Tetrahedron> tets);

  [[nodiscard]] const Cell& cell(TetIndex t) const { return cells_[t]; }
  [[nodiscard]] std::size_t slots() const { return cells_.size(); }
  [[nodiscard]] const Point3& point(PointIndex p) const { return points_[p]; }
  [[nodiscard]] std::size_t point_count() const { return points_.size(); }
  [[nodiscard]] const Point3& corner(TetIndex t, std::size_t i) const {
    return points_[cells_[t].point[i]];
  }
  [[nodiscard]] Point3 centroid(TetIndex t) const;

  /// Exact: where `p` lies relative to face `face` of `t`, +1 on the inner side.
  [[nodiscard]] int side_of_face(TetIndex t, std::size_t face, const Point3& p) const;

  /// Walks from `start` towards `p` by exact tests; no_tet when a fixed face is in the way or the
  /// walk does not arrive within a bounded number of steps.
  [[nodiscard]] TetIndex locate(TetIndex start, const Point3& p) const;

  PointIndex add_point(const Point3& p);
  void move_point(PointIndex p, const Point3& to) { points_[p] = to; }

  /// Makes a tetrahedron without neighbours and measures its quality.
  TetIndex add_cell(const std::array<PointIndex, 4>& point);
  void remove_cell(TetIndex t);
  void set_neighbour(TetIndex t, std::size_t face, TetIndex other) {
    cells_[t].neighbour[face] = other;
  }
  /// Connects the face of `t` with these corners to `other`.
  void set_neighbour_behind(TetIndex t, const std::array<PointIndex, 3>& corners, TetIndex other);
  void measure_quality(TetIndex t);

 private:
  std::vector<Point3> points_;
  std::vector<Cell> cells_;
  std::vector<TetIndex> free_;
};

}  // namespace mesh_refine
