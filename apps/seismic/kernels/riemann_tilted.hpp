// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/riemann.hpp"

namespace seismic::ROAM_SEISMIC_ISA {

/// Three components at four nodes.
struct Vec3 {
  Vec x, y, z;
};

ROAM_SEISMIC_INLINE Vec3 load(const double* values, int plane, int node) {
  return {vec(values + node), vec(values + plane + node), vec(values + 2 * plane + node)};
}
ROAM_SEISMIC_INLINE void save(const Vec3& a, double* values, int plane, int node) {
  vec(values + node) = a.x;
  vec(values + plane + node) = a.y;
  vec(values + 2 * plane + node) = a.z;
}
ROAM_SEISMIC_INLINE Vec3 sum(Vec p, const Vec3& a, Vec q, const Vec3& b) {
  return {p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z};
}
ROAM_SEISMIC_INLINE Vec dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
/// a, with its part along the unit vector n replaced by `along`.
ROAM_SEISMIC_INLINE Vec3 with_normal(const Vec3& a, const Vec3& n, Vec along) {
  const Vec change = along - dot(a, n);
  return {a.x + change * n.x, a.y + change * n.y, a.z + change * n.z};
}

/// A face's area over the cube's, and its unit normal.
struct FaceNormal {
  Vec area;
  Vec3 unit;

  ROAM_SEISMIC_INLINE FaceNormal(const double* normal, int plane, int node) {
    const Vec3 n = load(normal, plane, node);
    const Vec square = dot(n, n);
    for (int k = 0; k < lanes; ++k) area[k] = __builtin_sqrt(square[k]);
    unit = {n.x / area, n.y / area, n.z / area};
  }
};

/// As godunov(), with the S waves' state for all components and then the P waves' for the normal
/// one.
template <int N>
void riemann_tilted(const double* normal, const FaceSide& lower, const FaceSide& upper) {
  constexpr int plane = Dims<N>::plane;
  for (int k = 0; k < plane; k += lanes) {
    const FaceNormal face(normal, plane, k);
    const Vec none{}, one = 1.0 - none, inverse_area = 1.0 / face.area;
    const Vec3 v_low = load(lower.trace, plane, k), v_up = load(upper.trace, plane, k);
    const Vec3 t_low = load(lower.trace + 3 * plane, plane, k);
    const Vec3 t_up = load(upper.trace + 3 * plane, plane, k);
    Vec3 velocity{}, traction{};
    for (const bool is_normal : {false, true}) {
      const Vec z_low = mode_impedance<N>(lower, is_normal).at(k);
      const Vec z_up = mode_impedance<N>(upper, is_normal).at(k);
      const Vec3 q = sum(z_low, v_low, -inverse_area, t_low);
      const Vec3 p = sum(z_up, v_up, inverse_area, t_up);
      const Vec share = 1.0 / (z_low + z_up);
      const Vec3 v = sum(share, p, share, q);
      const Vec3 t = sum(share * z_low, p, -share * z_up, q);
      velocity = is_normal ? with_normal(velocity, face.unit, dot(v, face.unit)) : v;
      traction = is_normal ? with_normal(traction, face.unit, dot(t, face.unit)) : t;
    }
    save(sum(one, velocity, -one, v_low), lower.trace, plane, k);
    save(sum(one, velocity, -one, v_up), upper.trace, plane, k);
    save(sum(face.area, traction, -one, t_low), lower.trace + 3 * plane, plane, k);
    save(sum(face.area, traction, -one, t_up), upper.trace + 3 * plane, plane, k);
  }
}

template <int N>
void riemann_boundary_tilted(const Reflection& reflection, const double* normal, int side,
                             const FaceSide& inner) {
  constexpr int plane = Dims<N>::plane;
  for (int k = 0; k < plane; k += lanes) {
    const FaceNormal face(normal, plane, k);
    const Vec none{}, one = 1.0 - none;
    const Vec sign = (side == 1 ? -1.0 : 1.0) - none;
    const Vec3 v_in = load(inner.trace, plane, k);
    const Vec3 t_in = load(inner.trace + 3 * plane, plane, k);
    Vec3 velocity{}, traction{};
    for (const bool is_normal : {false, true}) {
      const Vec z = mode_impedance<N>(inner, is_normal).at(k);
      const double r = is_normal ? reflection.normal : reflection.tangential;
      const Vec3 outgoing = sum(0.5 * z, v_in, 0.5 * sign / face.area, t_in);
      const Vec3 v = sum((1.0 + r) / z, outgoing, none, outgoing);
      const Vec3 t = sum(sign * (1.0 - r), outgoing, none, outgoing);
      velocity = is_normal ? with_normal(velocity, face.unit, dot(v, face.unit)) : v;
      traction = is_normal ? with_normal(traction, face.unit, dot(t, face.unit)) : t;
    }
    save(sum(one, velocity, -one, v_in), inner.trace, plane, k);
    save(sum(face.area, traction, -one, t_in), inner.trace + 3 * plane, plane, k);
  }
}

}  // namespace seismic::ROAM_SEISMIC_ISA
