// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/vector.hpp"

namespace seismic::ROAM_SEISMIC_ISA {

/// The impedance of one mode on one side of a face, per node or the same for all.
struct ModeImpedance {
  const double* varying;
  double uniform;

  ROAM_SEISMIC_INLINE Vec at(int node) const {
    return varying != nullptr ? vec(varying + node) : uniform - Vec{};
  }
};

/// `component` of velocity and traction belongs to the P mode if it is the face's direction.
template <int N>
ROAM_SEISMIC_INLINE ModeImpedance mode_impedance(const FaceSide& side, bool is_normal) {
  const double* varying = side.varying;
  if (varying != nullptr && !is_normal) varying += Dims<N>::plane;
  return {varying, is_normal ? side.uniform.p : side.uniform.s};
}

/// Characteristics meet: from below comes q = Z v - s, from above p = Z v + s, each with its own
/// side's impedance.
template <int N>
void godunov(int direction, const FaceSide& lower, const FaceSide& upper) {
  using D = Dims<N>;
  for (int component = 0; component < 3; ++component) {
    const ModeImpedance below = mode_impedance<N>(lower, component == direction);
    const ModeImpedance above = mode_impedance<N>(upper, component == direction);
    double* v_low = lower.trace + component * D::plane;
    double* s_low = lower.trace + (3 + component) * D::plane;
    double* v_up = upper.trace + component * D::plane;
    double* s_up = upper.trace + (3 + component) * D::plane;
    for (int k = 0; k < D::plane; k += lanes) {
      const Vec z_low = below.at(k), z_up = above.at(k);
      const Vec q = z_low * vec(v_low + k) - vec(s_low + k);
      const Vec p = z_up * vec(v_up + k) + vec(s_up + k);
      const Vec inverse = 1.0 / (z_low + z_up);
      const Vec velocity = (p + q) * inverse;
      const Vec traction = (z_low * p - z_up * q) * inverse;
      vec(v_low + k) = velocity - vec(v_low + k);
      vec(s_low + k) = traction - vec(s_low + k);
      vec(v_up + k) = velocity - vec(v_up + k);
      vec(s_up + k) = traction - vec(s_up + k);
    }
  }
}

/// One side of Rusanov's state: the mean of both sides and half the fastest speed times the jump,
/// each side with its own material.
struct RusanovSide {
  double compliance;  ///< fastest speed / modulus
  double impedance;   ///< density * fastest speed
};

ROAM_SEISMIC_INLINE RusanovSide rusanov_side(const FaceSide& side, bool is_normal, double speed) {
  const Elasticity& e = side.elasticity;
  const double modulus = is_normal ? e.lambda + 2.0 * e.mu : e.mu;
  return {speed / modulus, speed / e.inverse_density};
}

template <int N>
void rusanov(int direction, const FaceSide& lower, const FaceSide& upper) {
  using D = Dims<N>;
  const double low_speed = lower.uniform.p * lower.elasticity.inverse_density;
  const double up_speed = upper.uniform.p * upper.elasticity.inverse_density;
  const double speed = low_speed > up_speed ? low_speed : up_speed;
  for (int component = 0; component < 3; ++component) {
    const RusanovSide low = rusanov_side(lower, component == direction, speed);
    const RusanovSide up = rusanov_side(upper, component == direction, speed);
    double* v_low = lower.trace + component * D::plane;
    double* s_low = lower.trace + (3 + component) * D::plane;
    double* v_up = upper.trace + component * D::plane;
    double* s_up = upper.trace + (3 + component) * D::plane;
    for (int k = 0; k < D::plane; k += lanes) {
      const Vec v_jump = 0.5 * (vec(v_up + k) - vec(v_low + k));
      const Vec s_jump = 0.5 * (vec(s_up + k) - vec(s_low + k));
      vec(v_low + k) = v_jump + low.compliance * s_jump;
      vec(s_low + k) = s_jump + low.impedance * v_jump;
      vec(v_up + k) = up.compliance * s_jump - v_jump;
      vec(s_up + k) = up.impedance * v_jump - s_jump;
    }
  }
}

template <int N>
void riemann(Flux flux, int direction, const FaceSide& lower, const FaceSide& upper) {
  if (flux == Flux::godunov) {
    godunov<N>(direction, lower, upper);
  } else {
    rusanov<N>(direction, lower, upper);
  }
}

/// The outgoing characteristic, a = (Z v -+ s) / 2 for an upper or lower side, comes back times the
/// reflection r: v = (1 + r) a / Z, s = -+(1 - r) a.
template <int N>
void riemann_boundary(const Reflection& reflection, int direction, int side,
                      const FaceSide& inner) {
  using D = Dims<N>;
  const double sign = side == 1 ? -1.0 : 1.0;
  for (int component = 0; component < 3; ++component) {
    const bool is_normal = component == direction;
    const double r = is_normal ? reflection.normal : reflection.tangential;
    const ModeImpedance impedance = mode_impedance<N>(inner, is_normal);
    double* v = inner.trace + component * D::plane;
    double* s = inner.trace + (3 + component) * D::plane;
    for (int k = 0; k < D::plane; k += lanes) {
      const Vec z = impedance.at(k);
      const Vec outgoing = 0.5 * (z * vec(v + k) + sign * vec(s + k));
      vec(v + k) = (1.0 + r) * outgoing / z - vec(v + k);
      vec(s + k) = sign * (1.0 - r) * outgoing - vec(s + k);
    }
  }
}

}  // namespace seismic::ROAM_SEISMIC_ISA
