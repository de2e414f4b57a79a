// SPDX-License-Identifier: Apache-2.0
#include "model/layers.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/solid.hpp"

namespace seismic {

LayeredModel::LayeredModel(std::vector<Layer> layers) : layers_(std::move(layers)) {
  if (layers_.empty()) throw std::invalid_argument("the model has no material");
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    if (!is_solid(layers_[k].material) || !std::isfinite(layers_[k].top)) {
      throw std::invalid_argument("material " + std::to_string(k + 1) + " is " + no_solid);
    }
    if (k > 0 && !(layers_[k].top > layers_[k - 1].top)) {
      throw std::invalid_argument("material " + std::to_string(k + 1) +
                                  " does not begin below the one before");
    }
  }
}

const Material& LayeredModel::at(double depth) const {
  std::size_t k = layers_.size() - 1;
  while (k > 0 && layers_[k].top > depth) --k;
  return layers_[k].material;
}

double LayeredModel::fastest() const {
  double result = 0.0;
  for (const Layer& layer : layers_) result = std::max(result, layer.material.p_speed);
  return result;
}

}  // namespace seismic
