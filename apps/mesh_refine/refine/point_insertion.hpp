// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "refine/cavity.hpp"
#include "refine/refine_settings.hpp"
#include "refine/tet_complex.hpp"
#include "refine/tet_shape.hpp"
#include "size/size_field.hpp"

namespace mesh_refine {

/// Delaunay refinement of a complex whose boundary stays as it is: the worst tetrahedron (too large
/// for the size field, or badly shaped) gets a point at its circumcentre or, where that lies
/// outside or too close to the boundary, at the nearest place that is good enough; a tetrahedron
/// for which there is none is left. Deterministic; ends because new points keep a least distance.
/// Not thread-safe.
class PointInsertion {
 public:
  PointInsertion(TetComplex& complex, const SizeField& size, const RefineSettings& settings);

  /// Refines until no tetrahedron asks for a point. Returns the number of inserted points.
  std::uint64_t run();

 private:
  struct Candidate {
    double badness = 0.0;
    TetIndex cell = 0;
    std::uint32_t generation = 0;

    friend bool operator<(const Candidate& a, const Candidate& b) {
      if (a.badness != b.badness) return a.badness < b.badness;
      return a.cell != b.cell ? a.cell > b.cell : a.generation > b.generation;
    }
  };

  void consider(TetIndex t);
  void refine_cell(TetIndex t);
  [[nodiscard]] bool try_insert(TetIndex near, const Point3& p, double least_distance);
  [[nodiscard]] TetShape shape_of(TetIndex t) const;
  [[nodiscard]] Point3 longest_edge_midpoint(TetIndex t) const;

  TetComplex& complex_;
  const SizeField& size_;
  const RefineSettings& settings_;
  Cavity cavity_;
  std::vector<Candidate> queue_;  ///< heap, worst first
  std::uint64_t inserted_ = 0;
};

}  // namespace mesh_refine
