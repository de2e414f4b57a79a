// SPDX-License-Identifier: Apache-2.0
#include "refine/vertex_stars.hpp"

namespace mesh_refine {

VertexStars::VertexStars(const TetComplex& complex) : begin_(complex.point_count() + 1, 0) {
  for (std::size_t t = 0; t < complex.slots(); ++t) {
    const TetComplex::Cell& cell = complex.cell(static_cast<TetIndex>(t));
    if (!cell.alive) continue;
    for (const PointIndex p : cell.point) ++begin_[p + 1];
  }
  for (std::size_t p = 1; p < begin_.size(); ++p) begin_[p] += begin_[p - 1];
  cells_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t t = 0; t < complex.slots(); ++t) {
    const TetComplex::Cell& cell = complex.cell(static_cast<TetIndex>(t));
    if (!cell.alive) continue;
    for (const PointIndex p : cell.point) cells_[next[p]++] = static_cast<TetIndex>(t);
  }
}

}  // namespace mesh_refine
