// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/predictor.hpp"

namespace seismic::ROAM_SEISMIC_ISA {

/// Where the rows of corrections of one quantity of a face lie for rows (y, z) of the cell.
template <int N>
struct FaceValues {
  const double* corrections;

  ROAM_SEISMIC_INLINE const double* row(int face, int q, int r) const {
    return corrections + face * Dims<N>::face + q * Dims<N>::plane + r * Dims<N>::row;
  }
};

/// What both faces across one direction add to component `q` at four nodes of row (y, z): upper
/// minus lower, each times the inverse mass matrix.
template <int N>
ROAM_SEISMIC_INLINE Vec lifted(const Operators& op, const FaceValues<N>& values, int direction,
                               int q, int y, int z, int v) {
  const double* lower_lift = op.lift[0].data();
  const double* upper_lift = op.lift[1].data();
  const int face = 2 * direction;
  if (direction == 0) {
    return values.row(face + 1, q, z)[y] * vec(upper_lift + lanes * v) -
           values.row(face, q, z)[y] * vec(lower_lift + lanes * v);
  }
  const int along = direction == 1 ? y : z;  // the node index across the face
  const int row = direction == 1 ? z : y;
  return upper_lift[along] * vec(values.row(face + 1, q, row) + lanes * v) -
         lower_lift[along] * vec(values.row(face, q, row) + lanes * v);
}

template <int N, CellKind K>
void correct_cell(const Operators& op, const CorrectInput& in, double* state) {
  using D = Dims<N>;
  const FaceValues<N> faces_of{in.corrections};
  const MaterialAt<K != CellKind::uniform, N> at_nodes{in.material};
  const double factor = in.step * in.inverse_size;
  for (int z = 0; z < N; ++z) {
    for (int y = 0; y < N; ++y) {
      for (int v = 0; v < D::vecs; ++v) {
        const int node = z * D::plane + y * D::row + lanes * v;
        const auto add = [&](int quantity, Vec value) ROAM_SEISMIC_FLAT {
          vec(state + quantity * D::quantity + node) += value;
        };
        const auto lift = [&](int direction, int q) ROAM_SEISMIC_FLAT {
          return lifted<N>(op, faces_of, direction, q, y, z, v);
        };
        const Vec inverse_density = factor * at_nodes.inverse_density(node);
        for (int c = 0; c < 3; ++c) {
          add(c, inverse_density * (lift(0, 3 + c) + lift(1, 3 + c) + lift(2, 3 + c)));
        }
        // What the faces add to the derivative of a velocity component.
        const auto gradient = [&](int component, int direction) ROAM_SEISMIC_FLAT {
          if constexpr (K == CellKind::tilted) {
            const MetricAt<N> m(in.material.metric, node);
            const Vec across = lift(2, component);
            if (direction == 2) return across;
            return m.stretch * lift(direction, component) +
                   (direction == 0 ? m.slope_x : m.slope_y) * across;
          } else {
            return lift(direction, component);
          }
        };
        const Vec xx = gradient(0, 0), yy = gradient(1, 1), zz = gradient(2, 2);
        const Vec mu = factor * at_nodes.mu(node);
        const Vec volumetric = factor * at_nodes.lambda(node) * (xx + yy + zz);
        add(sxx, volumetric + 2.0 * mu * xx);
        add(syy, volumetric + 2.0 * mu * yy);
        add(szz, volumetric + 2.0 * mu * zz);
        add(sxy, mu * (gradient(0, 1) + gradient(1, 0)));
        add(sxz, mu * (gradient(0, 2) + gradient(2, 0)));
        add(syz, mu * (gradient(1, 2) + gradient(2, 1)));
      }
    }
  }
  if (in.damping == nullptr) return;
  for (int q = 0; q < quantities; ++q) {
    for (int k = 0; k < D::volume; k += lanes) {
      vec(state + q * D::quantity + k) *= vec(in.damping + k);
    }
  }
}

template <int N>
void correct(const Operators& op, const CorrectInput& in, double* state) {
  if (in.material.metric != nullptr) {
    correct_cell<N, CellKind::tilted>(op, in, state);
  } else if (in.material.varying != nullptr) {
    correct_cell<N, CellKind::varying>(op, in, state);
  } else {
    correct_cell<N, CellKind::uniform>(op, in, state);
  }
}

}  // namespace seismic::ROAM_SEISMIC_ISA
