// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/operators.hpp"
#include "kernels/vector.hpp"

namespace seismic::ROAM_SEISMIC_ISA {

/// out[b][i] (+)= sum_j matrix_b[b][j] * sum_k matrix_a[i][k] * in[j][k] for one face quantity.
/// `rows` holds the inner sums.
template <int N, bool Add>
ROAM_SEISMIC_INLINE void transform(const double* matrix_a, const double* matrix_b, const double* in,
                                   double* out, double* rows) {
  using D = Dims<N>;
  for (int j = 0; j < N; ++j) {
    for (int i = 0; i < N; ++i) {
      double sum = 0.0;
      for (int k = 0; k < N; ++k) sum += matrix_a[i * N + k] * in[j * D::row + k];
      rows[j * D::row + i] = sum;
    }
    for (int pad = N; pad < D::row; ++pad) rows[j * D::row + pad] = 0.0;
  }
  for (int b = 0; b < N; ++b) {
    for (int v = 0; v < D::vecs; ++v) {
      Vec sum = Add ? vec(out + b * D::row + lanes * v) : Vec{};
      for (int j = 0; j < N; ++j) sum += matrix_b[b * N + j] * vec(rows + j * D::row + lanes * v);
      vec(out + b * D::row + lanes * v) = sum;
    }
  }
}

template <int N>
void interpolate(const PartOperators& along_a, const PartOperators& along_b, const double* coarse,
                 double* fine, double* scratch) {
  for (int q = 0; q < face_quantities; ++q) {
    transform<N, false>(along_a.interpolate.data(), along_b.interpolate.data(),
                        coarse + q * Dims<N>::plane, fine + q * Dims<N>::plane, scratch);
  }
}

template <int N>
void project(const PartOperators& along_a, const PartOperators& along_b, const double* fine,
             double* coarse, double* scratch) {
  for (int q = 0; q < face_quantities; ++q) {
    transform<N, true>(along_a.project.data(), along_b.project.data(), fine + q * Dims<N>::plane,
                       coarse + q * Dims<N>::plane, scratch);
  }
}

}  // namespace seismic::ROAM_SEISMIC_ISA
