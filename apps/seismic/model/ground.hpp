// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "mesh/spacetree.hpp"
#include "model/layers.hpp"
#include "model/material_grid.hpp"

namespace seismic {

/// The materials of the ground: those of a grid within it, and of layers elsewhere. Without layers,
/// the grid's outermost values go on without end.
class Ground {
 public:
  /// `grid`: or null. Throws std::invalid_argument as LayeredModel does if there is no grid either.
  Ground(std::vector<Layer> layers, std::shared_ptr<const MaterialGrid> grid);

  [[nodiscard]] Material at(const Point& point) const;
  [[nodiscard]] double fastest() const;  ///< m/s

 private:
  std::shared_ptr<const LayeredModel> layers_;  // null if there are none
  std::shared_ptr<const MaterialGrid> grid_;
};

}  // namespace seismic
