// SPDX-License-Identifier: Apache-2.0
#include "model/ground.hpp"

#include <algorithm>
#include <utility>

namespace seismic {

Ground::Ground(std::vector<Layer> layers, std::shared_ptr<const MaterialGrid> grid)
    : grid_(std::move(grid)) {
  if (!layers.empty() || !grid_) layers_ = std::make_shared<const LayeredModel>(std::move(layers));
}

Material Ground::at(const Point& point) const {
  if (grid_ && (!layers_ || grid_->has_inside(point))) return grid_->at(point);
  return layers_->at(point[2]);
}

double Ground::fastest() const {
  return std::max(layers_ ? layers_->fastest() : 0.0, grid_ ? grid_->fastest() : 0.0);
}

}  // namespace seismic
