// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "model/vertical_map.hpp"
#include "solve/cell_materials.hpp"
#include "sources/locate.hpp"

namespace seismic {

/// What a source acts on and a receiver takes its value from: the cell that the point is in, or
/// also the 26 around it.
class PointSupport {
 public:
  /// The cell alone.
  PointSupport() = default;
  /// The neighbours too, for a cell all of whose neighbours are there, within the domain, of its
  /// size, cubes, and of one uniform material; for other cells the cell alone. A receiver is not
  /// more exact thereby where its cells overlap those of a source. `order`: of the basis.
  PointSupport(MaterialAtPoint material, VerticalMap map, int order);

  /// The shares of a source or receiver at `point` of the mesh (VerticalMap::reference()), in an
  /// order that depends on mesh and point only. Like locate(); next to faces the cells of both
  /// sides, each with its own neighbours, have shares.
  [[nodiscard]] std::vector<PointShare> shares(const Mesh& mesh, const Point& point) const;

 private:
  struct Surroundings {
    MaterialAtPoint material;
    VerticalMap map;
    int order;
  };

  std::optional<Surroundings> surroundings_;  // none: the cell alone
};

}  // namespace seismic
