// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "refine/tet_complex.hpp"

namespace mesh_refine {

/// Improves a mesh by connecting its points differently: removes an edge and fills its ring the
/// best way (Klincsek's dynamic programme; Shewchuk, "Two discrete optimization algorithms for the
/// topological improvement of tetrahedral meshes", 2002), or replaces two tetrahedra at a face by
/// three around a new edge. A swap is made when it raises the worst quality of those concerned and
/// all new tetrahedra are positively oriented by exact test. Fixed faces stay. Deterministic.
class Swapping {
 public:
  explicit Swapping(TetComplex& complex) : complex_(complex) {}

  /// Tries the tetrahedra of a quality below `target` once, in the order of their slots. Returns
  /// the number of swaps.
  std::size_t run(double target);

 private:
  static constexpr std::size_t largest_ring = 7;

  /// An interior edge (bottom, top) with the tetrahedra and points around it, counter-clockwise
  /// seen from the top; tetrahedron i is (bottom, top, points[i], points[i + 1]).
  struct Ring {
    PointIndex bottom = 0;
    PointIndex top = 0;
    std::size_t size = 0;
    std::array<PointIndex, largest_ring> points{};
    std::array<TetIndex, largest_ring> cells{};
    double worst = 1.0;
  };

  [[nodiscard]] bool improve(TetIndex t);
  [[nodiscard]] bool find_ring(TetIndex t, const std::array<std::size_t, 4>& order);
  [[nodiscard]] bool remove_edge();
  void list_fill(std::size_t first, std::size_t last);
  [[nodiscard]] double ring_triangle_quality(std::size_t i, std::size_t k, std::size_t j) const;
  [[nodiscard]] bool split_face(TetIndex t, std::size_t face);
  [[nodiscard]] double quality(const std::array<PointIndex, 4>& tet) const;
  [[nodiscard]] bool all_positive() const;

  TetComplex& complex_;
  Ring ring_;
  std::array<std::array<std::size_t, largest_ring>, largest_ring> split_{};
  std::vector<std::array<PointIndex, 4>> fill_;  ///< tetrahedra about to be made
};

}  // namespace mesh_refine
