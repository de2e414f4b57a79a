// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/contraction.hpp"
#include "kernels/kernels.hpp"
#include "kernels/traces.hpp"

namespace seismic::ROAM_SEISMIC_ISA {

/// In terms of Taylor coefficients T_k in the step's own time (0 to 1), with L the spatial
/// operator: T_{k+1} = step / (k+1) * (L T_k + source_k), the mean is sum T_k / (k+1), and the
/// state after the step, but for what comes through faces, is T_0 + step * (L mean + mean of the
/// source).
enum class Pass { level, last };

/// The arrays of one application of L.
struct Sweep {
  const double* in;    ///< T_k, in the last pass the mean
  double* out;         ///< T_{k+1}, in the last pass the new state
  double* mean;        ///< not used in the last pass
  const double* base;  ///< T_0; used in the last pass
  double factor;       ///< step / ((k+1) * size), in the last pass step / size
  double share;        ///< 1 / (k+2)
};

template <Pass P>
ROAM_SEISMIC_INLINE void store(const Sweep& sweep, int at, Vec value) {
  if constexpr (P == Pass::last) {
    vec(sweep.out + at) = vec(sweep.base + at) + value;
  } else {
    vec(sweep.out + at) = value;
    vec(sweep.mean + at) += sweep.share * value;
  }
}

/// Inverse density, lambda or mu at four nodes.
template <bool Varying, int N>
struct MaterialAt {
  const CellMaterial& material;

  ROAM_SEISMIC_INLINE Vec inverse_density(int at) const {
    if constexpr (Varying) return vec(material.varying + at);
    return splat(material.uniform.inverse_density);
  }
  ROAM_SEISMIC_INLINE Vec lambda(int at) const {
    if constexpr (Varying) return vec(material.varying + Dims<N>::quantity + at);
    return splat(material.uniform.lambda);
  }
  ROAM_SEISMIC_INLINE Vec mu(int at) const {
    if constexpr (Varying) return vec(material.varying + 2 * Dims<N>::quantity + at);
    return splat(material.uniform.mu);
  }

 private:
  static ROAM_SEISMIC_INLINE Vec splat(double value) { return value - Vec{}; }
};

/// density * dv/dt = div(stress), for the velocity components one after the other.
template <int N, bool Varying, Pass P>
void sweep_velocity(const Operators& op, const CellMaterial& material, const Tractions& tractions,
                    const Sweep& sweep) {
  using D = Dims<N>;
  constexpr int block_rows = D::rows_of_block(D::vecs, 9);
  const MaterialAt<Varying, N> at_nodes{material};
  for (int component = 0; component < 3; ++component) {
    const double* along_x = tractions.at[0][component];
    const double* along_y = tractions.at[1][component];
    const double* along_z = tractions.at[2][component];
    for (int z = 0; z < N; ++z) {
      for_blocks_of_rows<N, block_rows>([&](auto rows, int y) ROAM_SEISMIC_FLAT {
        Block<N, decltype(rows)::value> sum;
        sum.clear();
        add_derivative_x(op, along_x, y, z, sum);
        add_derivative_y(op, along_y, y, z, sum);
        add_derivative_z(op, along_z, y, z, sum);
        for (int r = 0; r < decltype(rows)::value; ++r) {
          for (int v = 0; v < D::vecs; ++v) {
            const int node = z * D::plane + (y + r) * D::row + lanes * v;
            store<P>(sweep, component * D::quantity + node,
                     sweep.factor * at_nodes.inverse_density(node) * sum.at[r][v]);
          }
        }
      });
    }
  }
}

/// d(sxx, syy, szz)/dt = lambda div(v) + 2 mu (dvx/dx, dvy/dy, dvz/dz).
template <int N, bool Varying, Pass P>
void sweep_normal_stress(const Operators& op, const CellMaterial& material, const Sweep& sweep) {
  using D = Dims<N>;
  constexpr int block_rows = D::rows_of_block(3 * D::vecs, 12);
  const MaterialAt<Varying, N> at_nodes{material};
  for (int z = 0; z < N; ++z) {
    for_blocks_of_rows<N, block_rows>([&](auto rows, int y) ROAM_SEISMIC_FLAT {
      Block<N, decltype(rows)::value> dx, dy, dz;
      dx.clear();
      dy.clear();
      dz.clear();
      add_derivative_x(op, sweep.in + vx * D::quantity, y, z, dx);
      add_derivative_y(op, sweep.in + vy * D::quantity, y, z, dy);
      add_derivative_z(op, sweep.in + vz * D::quantity, y, z, dz);
      for (int r = 0; r < decltype(rows)::value; ++r) {
        for (int v = 0; v < D::vecs; ++v) {
          const int node = z * D::plane + (y + r) * D::row + lanes * v;
          const Vec a = dx.at[r][v], b = dy.at[r][v], c = dz.at[r][v];
          const Vec volumetric = sweep.factor * at_nodes.lambda(node) * (a + b + c);
          const Vec shear = 2.0 * sweep.factor * at_nodes.mu(node);
          store<P>(sweep, sxx * D::quantity + node, volumetric + shear * a);
          store<P>(sweep, syy * D::quantity + node, volumetric + shear * b);
          store<P>(sweep, szz * D::quantity + node, volumetric + shear * c);
        }
      }
    });
  }
}

/// d(s_ij)/dt = mu (dv_i/dx_j + dv_j/dx_i) for the three pairs of directions.
template <int N, bool Varying, Pass P>
void sweep_shear_stress(const Operators& op, const CellMaterial& material, const Sweep& sweep) {
  using D = Dims<N>;
  constexpr int block_rows = D::rows_of_block(D::vecs, 9);
  const MaterialAt<Varying, N> at_nodes{material};
  const double* v_x = sweep.in + vx * D::quantity;
  const double* v_y = sweep.in + vy * D::quantity;
  const double* v_z = sweep.in + vz * D::quantity;
  for (int z = 0; z < N; ++z) {
    for_blocks_of_rows<N, block_rows>([&](auto rows, int y) ROAM_SEISMIC_FLAT {
      constexpr int count = decltype(rows)::value;
      const auto finish = [&](int quantity, const Block<N, count>& sum) ROAM_SEISMIC_FLAT {
        for (int r = 0; r < count; ++r) {
          for (int v = 0; v < D::vecs; ++v) {
            const int node = z * D::plane + (y + r) * D::row + lanes * v;
            store<P>(sweep, quantity * D::quantity + node,
                     sweep.factor * at_nodes.mu(node) * sum.at[r][v]);
          }
        }
      };
      Block<N, count> sum;
      sum.clear();
      add_derivative_x(op, v_y, y, z, sum);
      add_derivative_y(op, v_x, y, z, sum);
      finish(sxy, sum);
      sum.clear();
      add_derivative_x(op, v_z, y, z, sum);
      add_derivative_z(op, v_x, y, z, sum);
      finish(sxz, sum);
      sum.clear();
      add_derivative_y(op, v_z, y, z, sum);
      add_derivative_z(op, v_y, y, z, sum);
      finish(syz, sum);
    });
  }
}

}  // namespace seismic::ROAM_SEISMIC_ISA
