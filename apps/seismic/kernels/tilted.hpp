// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/sweeps.hpp"
#include "kernels/traces.hpp"

// Cells that are no cubes: x and y are the cube's, the depth is a polynomial z(x, y, z') of its
// coordinates. With J = dz/dz', J grad x = (J, 0, 0), J grad y = (0, J, 0), J grad z' = (-dz/dx,
// -dz/dy, 1). Velocity takes the conservative form, J density dv/dt = sum_k d/dx_k (J grad x_k .
// s), stress the other one, with which what both do at faces cancels in the energy (Duru,
// Rannabauer, Gabriel, Igel, arXiv 1802.06380, section 2.3). For depths alone, constant stress is
// exactly in balance, since the derivatives along different directions commute.
namespace seismic::ROAM_SEISMIC_ISA {

/// J, -dz/dx, -dz/dy at four nodes.
template <int N>
struct MetricAt {
  Vec stretch, slope_x, slope_y;

  ROAM_SEISMIC_INLINE MetricAt(const double* metric, int node)
      : stretch(vec(metric + node)),
        slope_x(vec(metric + Dims<N>::quantity + node)),
        slope_y(vec(metric + 2 * Dims<N>::quantity + node)) {}
};

/// Tractions on the areas across the cube's directions, to `room` (nine quantities).
template <int N>
Tractions tilted_tractions(const double* metric, const double* values, double* room) {
  using D = Dims<N>;
  Tractions result{};
  for (int k = 0; k < 9; ++k) result.at[k / 3][k % 3] = room + k * D::quantity;
  for (int node = 0; node < D::volume; node += lanes) {
    const MetricAt<N> m(metric, node);
    for (int c = 0; c < 3; ++c) {
      const Vec x = vec(values + traction_component(0, c) * D::quantity + node);
      const Vec y = vec(values + traction_component(1, c) * D::quantity + node);
      const Vec z = vec(values + traction_component(2, c) * D::quantity + node);
      vec(room + c * D::quantity + node) = m.stretch * x;
      vec(room + (3 + c) * D::quantity + node) = m.stretch * y;
      vec(room + (6 + c) * D::quantity + node) = m.slope_x * x + m.slope_y * y + z;
    }
  }
  return result;
}

/// J times the derivatives of the velocity, [component][direction][z][y][x].
template <int N>
void tilted_gradients(const Operators& op, const double* metric, const double* values,
                      double* gradients) {
  using D = Dims<N>;
  constexpr int block_rows = D::rows_of_block(3 * D::vecs, 12);
  for (int component = 0; component < 3; ++component) {
    const double* velocity = values + component * D::quantity;
    double* out = gradients + 3 * component * D::quantity;
    for (int z = 0; z < N; ++z) {
      for_blocks_of_rows<N, block_rows>([&](auto rows, int y) ROAM_SEISMIC_FLAT {
        Block<N, decltype(rows)::value> dx, dy, dz;
        dx.clear();
        dy.clear();
        dz.clear();
        add_derivative_x(op, velocity, y, z, dx);
        add_derivative_y(op, velocity, y, z, dy);
        add_derivative_z(op, velocity, y, z, dz);
        for (int r = 0; r < decltype(rows)::value; ++r) {
          for (int v = 0; v < D::vecs; ++v) {
            const int node = z * D::plane + (y + r) * D::row + lanes * v;
            const MetricAt<N> m(metric, node);
            vec(out + node) = m.stretch * dx.at[r][v] + m.slope_x * dz.at[r][v];
            vec(out + D::quantity + node) = m.stretch * dy.at[r][v] + m.slope_y * dz.at[r][v];
            vec(out + 2 * D::quantity + node) = dz.at[r][v];
          }
        }
      });
    }
  }
}

template <int N, Pass P>
void sweep_tilted_stress(const CellMaterial& material, const double* gradients,
                         const Sweep& sweep) {
  using D = Dims<N>;
  const MaterialAt<true, N> at_nodes{material};
  for (int node = 0; node < D::volume; node += lanes) {
    const auto gradient = [&](int component, int direction) ROAM_SEISMIC_FLAT {
      return vec(gradients + (3 * component + direction) * D::quantity + node);
    };
    const Vec xx = gradient(0, 0), yy = gradient(1, 1), zz = gradient(2, 2);
    const Vec mu = sweep.factor * at_nodes.mu(node);
    const Vec volumetric = sweep.factor * at_nodes.lambda(node) * (xx + yy + zz);
    store<P>(sweep, sxx * D::quantity + node, volumetric + 2.0 * mu * xx);
    store<P>(sweep, syy * D::quantity + node, volumetric + 2.0 * mu * yy);
    store<P>(sweep, szz * D::quantity + node, volumetric + 2.0 * mu * zz);
    store<P>(sweep, sxy * D::quantity + node, mu * (gradient(0, 1) + gradient(1, 0)));
    store<P>(sweep, sxz * D::quantity + node, mu * (gradient(0, 2) + gradient(2, 0)));
    store<P>(sweep, syz * D::quantity + node, mu * (gradient(1, 2) + gradient(2, 1)));
  }
}

}  // namespace seismic::ROAM_SEISMIC_ISA
