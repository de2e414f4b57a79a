// SPDX-License-Identifier: Apache-2.0
#include "refine/cavity.hpp"

#include <algorithm>
#include <bit>

#include "refine/predicates.hpp"
#include "refine/tet_shape.hpp"

namespace mesh_refine {

bool Cavity::dig(const TetComplex& complex, TetIndex base, const Point3& p) {
  p_ = p;
  ++epoch_;
  if (epoch_of_.size() < complex.slots()) {
    epoch_of_.resize(complex.slots() + complex.slots() / 2, 0);
    mark_of_.resize(epoch_of_.size(), Mark::out);
  }
  collect(complex, base);
  if (!shrink(complex, base)) return false;
  find_walls(complex);
  old_quality_ = 1.0;
  for (const TetIndex t : members_) old_quality_ = std::min(old_quality_, complex.cell(t).quality);
  return true;
}

void Cavity::collect(const TetComplex& complex, TetIndex base) {
  members_.assign(1, base);
  mark(base, Mark::in);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (const TetIndex other : complex.cell(members_[i]).neighbour) {
      if (other == no_tet || epoch_of_[other] == epoch_) continue;
      const bool contains = insphere(complex.corner(other, 0), complex.corner(other, 1),
                                     complex.corner(other, 2), complex.corner(other, 3), p_) > 0;
      mark(other, contains ? Mark::in : Mark::out);
      if (contains) members_.push_back(other);
    }
  }
}

bool Cavity::shrink(const TetComplex& complex, TetIndex base) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const TetIndex t : members_) {
      if (!marked_in(t)) continue;
      for (std::size_t f = 0; f < 4; ++f) {
        const TetIndex other = complex.cell(t).neighbour[f];
        if (other != no_tet && marked_in(other)) continue;
        if (complex.side_of_face(t, f, p_) > 0) continue;
        if (t == base) return false;
        mark(t, Mark::out);
        changed = true;
        break;
      }
    }
    std::erase_if(members_, [&](TetIndex t) { return !marked_in(t); });
  }
  // Every wall is strictly visible now. The walls wind around p once (base contains p), so their
  // cones to p fill the cavity exactly once, and nothing disconnected from base can be left.
  return true;
}

void Cavity::find_walls(const TetComplex& complex) {
  walls_.clear();
  for (const TetIndex t : members_) {
    const TetComplex::Cell& cell = complex.cell(t);
    for (std::size_t f = 0; f < 4; ++f) {
      const TetIndex other = cell.neighbour[f];
      if (other != no_tet && marked_in(other)) continue;
      const auto& c = corners_of_face[f];
      walls_.push_back({{cell.point[c[0]], cell.point[c[1]], cell.point[c[2]]}, other});
    }
  }
}

bool Cavity::new_quality_reaches(const TetComplex& complex, double least) const {
  return std::ranges::all_of(walls_, [&](const Wall& wall) {
    return radius_ratio(complex.point(wall.corner[0]), complex.point(wall.corner[1]),
                        complex.point(wall.corner[2]), p_) >= least;
  });
}

double Cavity::nearest_corner(const TetComplex& complex) const {
  double nearest2 = std::numeric_limits<double>::infinity();
  for (const Wall& wall : walls_) {
    for (const PointIndex corner : wall.corner) {
      const Point3 d = complex.point(corner) - p_;
      nearest2 = std::min(nearest2, dot(d, d));
    }
  }
  return std::sqrt(nearest2);
}

const std::vector<TetIndex>& Cavity::fill(TetComplex& complex) {
  for (const TetIndex t : members_) complex.remove_cell(t);
  const PointIndex apex = complex.add_point(p_);
  ++edge_epoch_;
  const std::size_t needed = std::bit_ceil(4 * walls_.size());
  if (edges_.size() < needed) edges_.assign(needed, OpenEdge{});
  filling_.clear();
  for (const Wall& wall : walls_) {
    const auto& [a, b, c] = wall.corner;
    const TetIndex t = complex.add_cell({a, b, c, apex});
    filling_.push_back(t);
    complex.set_neighbour(t, 3, wall.outside);
    if (wall.outside != no_tet) complex.set_neighbour_behind(wall.outside, wall.corner, t);
    join_along_edge(complex, b, c, t, 0);
    join_along_edge(complex, c, a, t, 1);
    join_along_edge(complex, a, b, t, 2);
  }
  return filling_;
}

void Cavity::join_along_edge(TetComplex& complex, PointIndex a, PointIndex b, TetIndex cell,
                             std::uint32_t face) {
  const std::uint64_t key = (std::uint64_t{std::min(a, b)} << 32U) | std::uint64_t{std::max(a, b)};
  const std::size_t mask = edges_.size() - 1;
  std::size_t slot = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32U) & mask;
  while (edges_[slot].epoch == edge_epoch_ && edges_[slot].key != key) slot = (slot + 1) & mask;
  OpenEdge& edge = edges_[slot];
  if (edge.epoch != edge_epoch_) {
    edge = {key, edge_epoch_, cell, face};
    return;
  }
  complex.set_neighbour(cell, face, edge.cell);
  complex.set_neighbour(edge.cell, edge.face, cell);
}

}  // namespace mesh_refine
