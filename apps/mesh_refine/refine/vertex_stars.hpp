// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "refine/tet_complex.hpp"

namespace mesh_refine {

/// Live tetrahedra around every point, in ascending order. Valid while the complex keeps its
/// connectivity.
class VertexStars {
 public:
  explicit VertexStars(const TetComplex& complex);

  [[nodiscard]] std::span<const TetIndex> around(PointIndex p) const {
    return {cells_.data() + begin_[p], begin_[p + 1] - begin_[p]};
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<TetIndex> cells_;
};

}  // namespace mesh_refine
