// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/operators.hpp"
#include "kernels/vector.hpp"

namespace seismic::ROAM_SEISMIC_ISA {

/// Where the tractions of a cell lie: [direction of the area][component], each [z][y][x]. In a cube
/// they are its stresses.
struct Tractions {
  const double* at[3][3];
};

template <int N>
ROAM_SEISMIC_INLINE Tractions stresses_of(const double* values) {
  Tractions result{};
  for (int direction = 0; direction < 3; ++direction) {
    for (int c = 0; c < 3; ++c) {
      result.at[direction][c] = values + traction_component(direction, c) * Dims<N>::quantity;
    }
  }
  return result;
}

/// Both faces across x: sums along rows. `values`: [z][y][x]; `lower`, `upper`: [z][y].
template <int N>
void extrapolate_x(const Operators& op, const double* values, double* lower, double* upper) {
  using D = Dims<N>;
  for (int z = 0; z < N; ++z) {
    for (int y = 0; y < N; ++y) {
      Vec low{}, high{};
      for (int v = 0; v < D::vecs; ++v) {
        const Vec value = vec(values + z * D::plane + y * D::row + lanes * v);
        low += value * vec(op.at_face[0].data() + lanes * v);
        high += value * vec(op.at_face[1].data() + lanes * v);
      }
      lower[z * D::row + y] = (low[0] + low[1]) + (low[2] + low[3]);
      upper[z * D::row + y] = (high[0] + high[1]) + (high[2] + high[3]);
    }
    for (int pad = N; pad < D::row; ++pad) lower[z * D::row + pad] = upper[z * D::row + pad] = 0.0;
  }
}

/// One plane or row of sums: lower[i] = sum_j at_face[0][j] * values[j * stride + i], and upper,
/// for `Count` vectors.
template <int N, int Count>
ROAM_SEISMIC_INLINE void extrapolate(const Operators& op, const double* values, int stride,
                                     double* lower, double* upper) {
  for (int v = 0; v < Count; ++v) {
    Vec low{}, high{};
    for (int j = 0; j < N; ++j) {
      const Vec value = vec(values + j * stride + lanes * v);
      low += value * op.at_face[0][static_cast<std::size_t>(j)];
      high += value * op.at_face[1][static_cast<std::size_t>(j)];
    }
    vec(lower + lanes * v) = low;
    vec(upper + lanes * v) = high;
  }
}

/// What the faces see of a cell's `values` and tractions.
template <int N>
void traces_of(const Operators& op, const double* values, const Tractions& tractions,
               double* traces) {
  using D = Dims<N>;
  for (int q = 0; q < face_quantities; ++q) {
    double* face[faces];
    for (int f = 0; f < faces; ++f) face[f] = traces + f * D::face + q * D::plane;
    const double* across[3];
    for (int direction = 0; direction < 3; ++direction) {
      across[direction] = q < 3 ? values + q * D::quantity : tractions.at[direction][q - 3];
    }
    extrapolate_x<N>(op, across[0], face[0], face[1]);
    for (int z = 0; z < N; ++z) {
      extrapolate<N, D::vecs>(op, across[1] + z * D::plane, D::row, face[2] + z * D::row,
                              face[3] + z * D::row);
    }
    extrapolate<N, D::plane / lanes>(op, across[2], D::plane, face[4], face[5]);
  }
}

}  // namespace seismic::ROAM_SEISMIC_ISA
