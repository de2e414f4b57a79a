// SPDX-License-Identifier: Apache-2.0
#include "refine/point_insertion.hpp"

#include <algorithm>
#include <cmath>

namespace mesh_refine {

PointInsertion::PointInsertion(TetComplex& complex, const SizeField& size,
                               const RefineSettings& settings)
    : complex_(complex), size_(size), settings_(settings) {}

std::uint64_t PointInsertion::run() {
  for (std::size_t t = 0; t < complex_.slots(); ++t) consider(static_cast<TetIndex>(t));
  while (!queue_.empty() && inserted_ < settings_.most_points) {
    std::pop_heap(queue_.begin(), queue_.end());
    const Candidate worst = queue_.back();
    queue_.pop_back();
    const TetComplex::Cell& cell = complex_.cell(worst.cell);
    if (cell.alive && cell.generation == worst.generation) refine_cell(worst.cell);
  }
  return inserted_;
}

TetShape PointInsertion::shape_of(TetIndex t) const {
  return measure_tet(complex_.corner(t, 0), complex_.corner(t, 1), complex_.corner(t, 2),
                     complex_.corner(t, 3));
}

void PointInsertion::consider(TetIndex t) {
  const TetShape shape = shape_of(t);
  const double wanted = size_.at(complex_.centroid(t));
  const double size = shape.circumradius / (settings_.largest_circumradius * wanted);
  const double form =
      shape.circumradius / (settings_.largest_radius_edge_ratio * shape.shortest_edge);
  const double badness = std::max(size, form);
  if (!(badness > 1.0)) return;
  queue_.push_back({badness, t, complex_.cell(t).generation});
  std::push_heap(queue_.begin(), queue_.end());
}

void PointInsertion::refine_cell(TetIndex t) {
  const TetShape shape = shape_of(t);
  const Point3 centroid = complex_.centroid(t);
  const double wanted = settings_.least_spacing * size_.at(centroid);
  if (std::isfinite(shape.circumradius)) {
    // A badly shaped tetrahedron may have short edges that the size field does not ask for; its
    // circumcentre may come as close as they are, no closer.
    const double least = std::min(wanted, shape.shortest_edge);
    if (try_insert(t, shape.circumcentre, least)) return;
    if (try_insert(t, 0.5 * (centroid + shape.circumcentre), wanted)) return;
  }
  if (try_insert(t, centroid, wanted)) return;
  (void)try_insert(t, longest_edge_midpoint(t), wanted);
}

bool PointInsertion::try_insert(TetIndex near, const Point3& p, double least_distance) {
  const TetIndex base = complex_.locate(near, p);
  if (base == no_tet) return false;
  if (!cavity_.dig(complex_, base, p)) return false;
  if (!(cavity_.nearest_corner(complex_) >= least_distance)) return false;
  const double least_quality = std::min(settings_.quality_floor, cavity_.old_quality());
  if (!cavity_.new_quality_reaches(complex_, least_quality)) return false;
  for (const TetIndex t : cavity_.fill(complex_)) consider(t);
  ++inserted_;
  return true;
}

Point3 PointInsertion::longest_edge_midpoint(TetIndex t) const {
  Point3 midpoint;
  double longest2 = -1.0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i + 1; j < 4; ++j) {
      const Point3 edge = complex_.corner(t, j) - complex_.corner(t, i);
      if (dot(edge, edge) <= longest2) continue;
      longest2 = dot(edge, edge);
      midpoint = 0.5 * (complex_.corner(t, i) + complex_.corner(t, j));
    }
  }
  return midpoint;
}

}  // namespace mesh_refine
