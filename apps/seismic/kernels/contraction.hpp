// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/operators.hpp"
#include "kernels/vector.hpp"

namespace seismic::ROAM_SEISMIC_ISA {

/// Accumulators for `Rows` rows of one quantity. They stay in registers: every loop over them has
/// constant bounds and is unrolled.
template <int N, int Rows>
struct Block {
  Vec at[Rows][Dims<N>::vecs];

  ROAM_SEISMIC_INLINE void clear() {
    for (auto& row : at) {
      for (Vec& value : row) value = Vec{};
    }
  }
};

/// block += derivative of `values` along direction X, Y or Z at rows y.. of plane z. One function
/// for each, since the node index of the sum lies differently in memory. `values`: [z][y][x].
template <int N, int Rows>
ROAM_SEISMIC_INLINE void add_derivative_x(const Operators& op, const double* values, int y, int z,
                                          Block<N, Rows>& block) {
  using D = Dims<N>;
  const double* rows = values + z * D::plane + y * D::row;
  for (int j = 0; j < N; ++j) {
    const double* derivative = op.derivative_rows.data() + j * D::row;
    for (int r = 0; r < Rows; ++r) {
      const double value = rows[r * D::row + j];
      for (int v = 0; v < D::vecs; ++v) block.at[r][v] += value * vec(derivative + lanes * v);
    }
  }
}

template <int N, int Rows>
ROAM_SEISMIC_INLINE void add_derivative_y(const Operators& op, const double* values, int y, int z,
                                          Block<N, Rows>& block) {
  using D = Dims<N>;
  const double* plane = values + z * D::plane;
  for (int j = 0; j < N; ++j) {
    for (int r = 0; r < Rows; ++r) {
      const double factor = op.derivative[static_cast<std::size_t>((y + r) * N + j)];
      for (int v = 0; v < D::vecs; ++v) {
        block.at[r][v] += factor * vec(plane + j * D::row + lanes * v);
      }
    }
  }
}

template <int N, int Rows>
ROAM_SEISMIC_INLINE void add_derivative_z(const Operators& op, const double* values, int y, int z,
                                          Block<N, Rows>& block) {
  using D = Dims<N>;
  for (int j = 0; j < N; ++j) {
    const double factor = op.derivative[static_cast<std::size_t>(z * N + j)];
    const double* rows = values + j * D::plane + y * D::row;
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < D::vecs; ++v) {
        block.at[r][v] += factor * vec(rows + r * D::row + lanes * v);
      }
    }
  }
}

}  // namespace seismic::ROAM_SEISMIC_ISA
