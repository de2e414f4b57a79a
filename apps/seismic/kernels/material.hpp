// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace seismic {

/// An isotropic elastic solid.
struct Material {
  double density;  ///< kg/m3
  double p_speed;  ///< m/s
  double s_speed;  ///< m/s

  [[nodiscard]] double mu() const { return density * s_speed * s_speed; }
  [[nodiscard]] double lambda() const { return density * p_speed * p_speed - 2.0 * mu(); }
};

/// What the kernels need of a cell's material, the same in the whole cell.
struct Elasticity {
  double inverse_density;  ///< m3/kg
  double lambda;           ///< Pa
  double mu;               ///< Pa
};

/// Impedances on one side of a face: density times wave speed, kg/(m2 s).
struct Impedance {
  double p;
  double s;
};

[[nodiscard]] inline Elasticity elasticity(const Material& material) {
  return {1.0 / material.density, material.lambda(), material.mu()};
}

[[nodiscard]] inline Impedance impedance(const Material& material) {
  return {material.density * material.p_speed, material.density * material.s_speed};
}

}  // namespace seismic
