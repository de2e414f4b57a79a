// SPDX-License-Identifier: Apache-2.0
#include "refine/tet_complex.hpp"

#include "refine/predicates.hpp"
#include "refine/tet_shape.hpp"

namespace mesh_refine {

TetComplex::TetComplex(std::vector<Point3> points, std::span<const Tetrahedron> tets)
    : points_(std::move(points)) {
  const auto neighbours = face_neighbours(tets);
  cells_.reserve(tets.size());
  for (std::size_t t = 0; t < tets.size(); ++t) {
    cells_.push_back({tets[t].point, neighbours[t], 0.0, 0, true});
    measure_quality(static_cast<TetIndex>(t));
  }
}

Point3 TetComplex::centroid(TetIndex t) const {
  return 0.25 * ((corner(t, 0) + corner(t, 1)) + (corner(t, 2) + corner(t, 3)));
}

int TetComplex::side_of_face(TetIndex t, std::size_t face, const Point3& p) const {
  const auto& c = corners_of_face[face];
  return orient3d(corner(t, c[0]), corner(t, c[1]), corner(t, c[2]), p);
}

TetIndex TetComplex::locate(TetIndex start, const Point3& p) const {
  constexpr int most_steps = 256;
  TetIndex t = start;
  TetIndex previous = no_tet;
  for (int step = 0; step < most_steps; ++step) {
    TetIndex next = no_tet;
    bool blocked = false;
    for (std::size_t f = 0; f < 4 && next == no_tet; ++f) {
      const TetIndex other = cells_[t].neighbour[f];
      if (other == previous && other != no_tet) continue;
      if (side_of_face(t, f, p) >= 0) continue;
      if (other == no_tet) {
        blocked = true;
      } else {
        next = other;
      }
    }
    if (next == no_tet) return blocked ? no_tet : t;
    previous = t;
    t = next;
  }
  return no_tet;
}

PointIndex TetComplex::add_point(const Point3& p) {
  points_.push_back(p);
  return static_cast<PointIndex>(points_.size() - 1);
}

TetIndex TetComplex::add_cell(const std::array<PointIndex, 4>& point) {
  TetIndex t = 0;
  if (free_.empty()) {
    t = static_cast<TetIndex>(cells_.size());
    cells_.emplace_back();
  } else {
    t = free_.back();
    free_.pop_back();
  }
  Cell& cell = cells_[t];
  cell.point = point;
  cell.neighbour = {no_tet, no_tet, no_tet, no_tet};
  cell.alive = true;
  measure_quality(t);
  return t;
}

void TetComplex::remove_cell(TetIndex t) {
  cells_[t].alive = false;
  ++cells_[t].generation;
  free_.push_back(t);
}

void TetComplex::set_neighbour_behind(TetIndex t, const std::array<PointIndex, 3>& corners,
                                      TetIndex other) {
  Cell& cell = cells_[t];
  for (std::size_t f = 0; f < 4; ++f) {
    const PointIndex apex = cell.point[f];
    // The face is the one opposite the only corner that it does not have.
    if (apex != corners[0] && apex != corners[1] && apex != corners[2]) {
      cell.neighbour[f] = other;
      return;
    }
  }
}

void TetComplex::measure_quality(TetIndex t) {
  cells_[t].quality = radius_ratio(corner(t, 0), corner(t, 1), corner(t, 2), corner(t, 3));
}

}  // namespace mesh_refine
