// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "refine/tet_complex.hpp"

namespace mesh_refine {

/// The hole that a new point tears into a constrained Delaunay mesh, and its filling: Bowyer and
/// Watson's method (The Computer Journal 24, 1981), with the cavity made star-shaped as in George
/// and Hermeline's constrained kernel. Keeps its buffers between points. Not thread-safe.
class Cavity {
 public:
  /// Collects the tetrahedra around `base` (which contains `p`) whose circumspheres contain `p`,
  /// never across fixed faces, then gives up those with a face that `p` does not strictly see.
  /// False when no star-shaped cavity with `base` remains; the complex is not changed.
  [[nodiscard]] bool dig(const TetComplex& complex, TetIndex base, const Point3& p);

  /// Worst quality among the tetrahedra that would be removed.
  [[nodiscard]] double old_quality() const { return old_quality_; }

  /// Whether all new tetrahedra would be at least that good.
  [[nodiscard]] bool new_quality_reaches(const TetComplex& complex, double least) const;

  /// Distance from `p` to the nearest corner of the cavity.
  [[nodiscard]] double nearest_corner(const TetComplex& complex) const;

  /// Replaces the cavity of the last successful dig() by tetrahedra around `p`, all positively
  /// oriented by construction; returns them (valid until the next call).
  const std::vector<TetIndex>& fill(TetComplex& complex);

 private:
  struct Wall {
    std::array<PointIndex, 3> corner{};
    TetIndex outside = no_tet;
  };
  struct OpenEdge {
    std::uint64_t key = 0;
    std::uint32_t epoch = 0;
    TetIndex cell = 0;
    std::uint32_t face = 0;
  };
  enum class Mark : std::uint8_t { in, out };

  void collect(const TetComplex& complex, TetIndex base);
  [[nodiscard]] bool shrink(const TetComplex& complex, TetIndex base);
  void find_walls(const TetComplex& complex);
  [[nodiscard]] bool marked_in(TetIndex t) const {
    return epoch_of_[t] == epoch_ && mark_of_[t] == Mark::in;
  }
  void mark(TetIndex t, Mark mark) {
    epoch_of_[t] = epoch_;
    mark_of_[t] = mark;
  }
  void join_along_edge(TetComplex& complex, PointIndex a, PointIndex b, TetIndex cell,
                       std::uint32_t face);

  Point3 p_;
  double old_quality_ = 0.0;
  std::vector<TetIndex> members_;
  std::vector<Wall> walls_;
  std::vector<TetIndex> filling_;
  std::vector<OpenEdge> edges_;  ///< hash table with linear probing, power of two
  std::uint32_t edge_epoch_ = 0;
  std::uint32_t epoch_ = 0;  ///< marks of earlier points are void
  std::vector<std::uint32_t> epoch_of_;
  std::vector<Mark> mark_of_;
};

}  // namespace mesh_refine
