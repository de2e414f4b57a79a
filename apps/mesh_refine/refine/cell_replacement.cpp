// SPDX-License-Identifier: Apache-2.0
#include "refine/cell_replacement.hpp"

#include <algorithm>

namespace mesh_refine {
namespace {

struct OpenFace {
  std::array<PointIndex, 3> key{};
  TetIndex cell = no_tet;  ///< no_tet behind a fixed face
  std::size_t face = 0;
};

std::array<PointIndex, 3> key_of(const TetComplex::Cell& cell, std::size_t face) {
  return sorted_corners(face_corners(Tetrahedron{cell.point}, face));
}

/// Faces between the old tetrahedra and their surroundings, as the surroundings see them.
void find_outer_faces(const TetComplex& complex, std::span<const TetIndex> old_cells,
                      std::vector<OpenFace>& open) {
  for (const TetIndex t : old_cells) {
    for (std::size_t f = 0; f < 4; ++f) {
      const TetIndex other = complex.cell(t).neighbour[f];
      if (other != no_tet && std::ranges::find(old_cells, other) != old_cells.end()) continue;
      std::size_t back = 0;
      while (other != no_tet && complex.cell(other).neighbour[back] != t) ++back;
      open.push_back({key_of(complex.cell(t), f), other, back});
    }
  }
}

}  // namespace

void replace_cells(TetComplex& complex, std::span<const TetIndex> old_cells,
                   std::span<const std::array<PointIndex, 4>> new_cells) {
  std::vector<OpenFace> open;
  open.reserve(4 * new_cells.size() + 4 * old_cells.size());
  find_outer_faces(complex, old_cells, open);
  for (const TetIndex t : old_cells) complex.remove_cell(t);
  for (const auto& point : new_cells) {
    const TetIndex t = complex.add_cell(point);
    for (std::size_t f = 0; f < 4; ++f) {
      const auto key = key_of(complex.cell(t), f);
      const auto match = std::ranges::find(open, key, &OpenFace::key);
      if (match == open.end()) {
        open.push_back({key, t, f});
        continue;
      }
      complex.set_neighbour(t, f, match->cell);
      if (match->cell != no_tet) complex.set_neighbour(match->cell, match->face, t);
      *match = open.back();
      open.pop_back();
    }
  }
}

}  // namespace mesh_refine
