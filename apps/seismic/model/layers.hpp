// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/material.hpp"

namespace seismic {

/// From `top` (m, z counts downwards) to the next layer's.
struct Layer {
  double top;
  Material material;
};

/// Layers of constant material, in ascending order of their tops; the first reaches up, the last
/// down without end.
class LayeredModel {
 public:
  /// Throws std::invalid_argument if there is no layer, if tops do not ascend, or if a material is
  /// not a stable solid: density, P and S speed positive, P speed above sqrt(4/3) times S speed.
  explicit LayeredModel(std::vector<Layer> layers);

  [[nodiscard]] const Material& at(double depth) const;
  [[nodiscard]] const std::vector<Layer>& layers() const { return layers_; }
  [[nodiscard]] double fastest() const;  ///< m/s

 private:
  std::vector<Layer> layers_;
};

}  // namespace seismic
