// SPDX-License-Identifier: Apache-2.0
#include "refine/swapping.hpp"

#include <algorithm>

#include "refine/cell_replacement.hpp"
#include "refine/predicates.hpp"
#include "refine/tet_shape.hpp"

namespace mesh_refine {
namespace {

/// The six edges, each with the other two corners so that the order is an even permutation.
constexpr std::array<std::array<std::size_t, 4>, 6> edge_first{
    {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}}};

}  // namespace

std::size_t Swapping::run(double target) {
  std::size_t swaps = 0;
  const std::size_t slots = complex_.slots();
  for (std::size_t t = 0; t < slots; ++t) {
    const TetComplex::Cell& cell = complex_.cell(static_cast<TetIndex>(t));
    if (cell.alive && cell.quality < target && improve(static_cast<TetIndex>(t))) ++swaps;
  }
  return swaps;
}

bool Swapping::improve(TetIndex t) {
  for (const auto& order : edge_first) {
    if (find_ring(t, order) && remove_edge()) return true;
  }
  for (std::size_t f = 0; f < 4; ++f) {
    if (split_face(t, f)) return true;
  }
  return false;
}

bool Swapping::find_ring(TetIndex t, const std::array<std::size_t, 4>& order) {
  const auto& point = complex_.cell(t).point;
  ring_.bottom = point[order[0]];
  ring_.top = point[order[1]];
  ring_.size = 0;
  ring_.worst = 1.0;
  PointIndex behind = point[order[2]];
  PointIndex ahead = point[order[3]];
  const PointIndex start = behind;
  for (TetIndex cell = t;;) {
    if (ring_.size == largest_ring) return false;
    ring_.points[ring_.size] = behind;
    ring_.cells[ring_.size++] = cell;
    ring_.worst = std::min(ring_.worst, complex_.cell(cell).quality);
    if (ahead == start) return ring_.size >= 3;
    const auto& p = complex_.cell(cell).point;
    const auto face = static_cast<std::size_t>(std::ranges::find(p, behind) - p.begin());
    cell = complex_.cell(cell).neighbour[face];
    if (cell == no_tet) return false;
    behind = ahead;
    for (const PointIndex q : complex_.cell(cell).point) {
      if (q != ring_.bottom && q != ring_.top && q != behind) ahead = q;
    }
  }
}

bool Swapping::remove_edge() {
  const std::size_t n = ring_.size;
  std::array<std::array<double, largest_ring>, largest_ring> best{};
  for (std::size_t i = 0; i + 1 < n; ++i) best[i][i + 1] = 1.0;
  for (std::size_t span = 2; span < n; ++span) {
    for (std::size_t i = 0; i + span < n; ++i) {
      const std::size_t j = i + span;
      best[i][j] = -1.0;
      for (std::size_t k = i + 1; k < j; ++k) {
        const double rest = std::min(best[i][k], best[k][j]);
        // No fill of this part can be of use unless it beats the ring as it is.
        if (rest <= std::max(best[i][j], ring_.worst)) continue;
        const double worst = std::min(rest, ring_triangle_quality(i, k, j));
        if (worst <= best[i][j]) continue;
        best[i][j] = worst;
        split_[i][j] = k;
      }
    }
  }
  if (!(best[0][n - 1] > ring_.worst)) return false;
  fill_.clear();
  list_fill(0, n - 1);
  if (!all_positive()) return false;
  replace_cells(complex_, {ring_.cells.data(), n}, fill_);
  return true;
}

double Swapping::ring_triangle_quality(std::size_t i, std::size_t k, std::size_t j) const {
  const PointIndex a = ring_.points[i];
  const PointIndex b = ring_.points[k];
  const PointIndex c = ring_.points[j];
  const double above = quality({a, b, c, ring_.top});
  return above <= ring_.worst ? above : std::min(above, quality({c, b, a, ring_.bottom}));
}

void Swapping::list_fill(std::size_t first, std::size_t last) {
  if (last - first < 2) return;
  const std::size_t middle = split_[first][last];
  const PointIndex a = ring_.points[first];
  const PointIndex b = ring_.points[middle];
  const PointIndex c = ring_.points[last];
  fill_.push_back({a, b, c, ring_.top});
  fill_.push_back({c, b, a, ring_.bottom});
  list_fill(first, middle);
  list_fill(middle, last);
}

bool Swapping::split_face(TetIndex t, std::size_t face) {
  const TetIndex other = complex_.cell(t).neighbour[face];
  if (other == no_tet) return false;
  const PointIndex top = complex_.cell(t).point[face];
  const auto base = face_corners(Tetrahedron{complex_.cell(t).point}, face);
  PointIndex bottom = top;
  for (const PointIndex q : complex_.cell(other).point) {
    if (q != base[0] && q != base[1] && q != base[2]) bottom = q;
  }
  const double worst = std::min(complex_.cell(t).quality, complex_.cell(other).quality);
  fill_.clear();
  for (std::size_t i = 0; i < 3; ++i) {
    fill_.push_back({bottom, top, base[i], base[(i + 1) % 3]});
    if (quality(fill_.back()) <= worst) return false;
  }
  if (!all_positive()) return false;
  const std::array<TetIndex, 2> pair{t, other};
  replace_cells(complex_, pair, fill_);
  return true;
}

double Swapping::quality(const std::array<PointIndex, 4>& tet) const {
  return radius_ratio(complex_.point(tet[0]), complex_.point(tet[1]), complex_.point(tet[2]),
                      complex_.point(tet[3]));
}

bool Swapping::all_positive() const {
  return std::ranges::all_of(fill_, [&](const std::array<PointIndex, 4>& tet) {
    return orient3d(complex_.point(tet[0]), complex_.point(tet[1]), complex_.point(tet[2]),
                    complex_.point(tet[3])) > 0;
  });
}

}  // namespace mesh_refine
