// SPDX-License-Identifier: Apache-2.0
#include "refine/smoothing.hpp"

#include <algorithm>

#include "refine/predicates.hpp"
#include "refine/tet_shape.hpp"
#include "refine/vertex_stars.hpp"

namespace mesh_refine {
namespace {

class VertexMover {
 public:
  VertexMover(TetComplex& complex, const VertexStars& stars) : complex_(complex), stars_(stars) {}

  /// Tries a few places for the vertex; true when it moved.
  bool improve(PointIndex p, double target) {
    star_ = stars_.around(p);
    if (star_.empty()) return false;
    vertex_ = p;
    best_quality_ = worst_now();
    if (best_quality_ >= target) return false;
    const Point3 start = complex_.point(p);
    best_ = start;
    const Point3 towards_centre = centre_of_neighbours() - start;
    const Point3 away = away_from_worst_face();
    for (const double step : {1.0, 0.5, 0.25}) consider(start + step * towards_centre);
    for (const double step : {0.5, 0.2, 0.08, -0.05, -0.15}) consider(best_ + step * away);
    if (best_ == start) return false;
    complex_.move_point(p, best_);
    for (const TetIndex t : star_) complex_.measure_quality(t);
    return true;
  }

 private:
  [[nodiscard]] double worst_now() const {
    double worst = 1.0;
    for (const TetIndex t : star_) worst = std::min(worst, complex_.cell(t).quality);
    return worst;
  }

  [[nodiscard]] std::array<Point3, 4> corners_with(TetIndex t, const Point3& place) const {
    std::array<Point3, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) {
      const PointIndex p = complex_.cell(t).point[i];
      corners[i] = p == vertex_ ? place : complex_.point(p);
    }
    return corners;
  }

  void consider(const Point3& place) {
    double worst = 1.0;
    for (const TetIndex t : star_) {
      const auto c = corners_with(t, place);
      worst = std::min(worst, radius_ratio(c[0], c[1], c[2], c[3]));
      if (worst <= best_quality_) return;
    }
    for (const TetIndex t : star_) {
      const auto c = corners_with(t, place);
      if (orient3d(c[0], c[1], c[2], c[3]) <= 0) return;
    }
    best_ = place;
    best_quality_ = worst;
  }

  [[nodiscard]] Point3 centre_of_neighbours() const {
    // Every neighbour counts as often as it has tetrahedra with the vertex.
    Point3 sum;
    for (const TetIndex t : star_) {
      for (const PointIndex p : complex_.cell(t).point) {
        if (p != vertex_) sum = sum + complex_.point(p);
      }
    }
    return 1.0 / (3.0 * static_cast<double>(star_.size())) * sum;
  }

  /// Height direction of the worst tetrahedron, as long as its opposite face is wide.
  [[nodiscard]] Point3 away_from_worst_face() const {
    const TetIndex worst =
        *std::ranges::min_element(star_, {}, [&](TetIndex t) { return complex_.cell(t).quality; });
    const auto& point = complex_.cell(worst).point;
    const auto face = static_cast<std::size_t>(std::ranges::find(point, vertex_) - point.begin());
    const auto& c = corners_of_face[face];
    const Point3& a = complex_.corner(worst, c[0]);
    const Point3 normal = cross(complex_.corner(worst, c[1]) - a, complex_.corner(worst, c[2]) - a);
    const double length = norm(normal);
    return length > 0.0 ? (1.0 / std::sqrt(length)) * normal : Point3{};
  }

  TetComplex& complex_;
  const VertexStars& stars_;
  std::span<const TetIndex> star_;
  PointIndex vertex_ = 0;
  Point3 best_;
  double best_quality_ = 0.0;
};

}  // namespace

std::size_t smooth(TetComplex& complex, PointIndex first_free, double target) {
  const VertexStars stars(complex);
  VertexMover mover(complex, stars);
  std::size_t moved = 0;
  for (std::size_t p = first_free; p < complex.point_count(); ++p) {
    if (mover.improve(static_cast<PointIndex>(p), target)) ++moved;
  }
  return moved;
}

}  // namespace mesh_refine
