// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compiled once for each instruction set: all that kernels have lies in a namespace of its own, so
// that no function compiled for one is taken for the other by the linker.
#ifndef ROAM_SEISMIC_ISA
#define ROAM_SEISMIC_ISA baseline
#endif

#define ROAM_SEISMIC_INLINE inline __attribute__((always_inline))
// Forces inlining of lambda expressions.
#define ROAM_SEISMIC_FLAT __attribute__((always_inline))

#include "kernels/layout.hpp"

namespace seismic::ROAM_SEISMIC_ISA {

/// Four doubles, for which GCC and Clang take the registers there are.
using Vec = double __attribute__((vector_size(32), may_alias));
inline constexpr int lanes = 4;

ROAM_SEISMIC_INLINE const Vec& vec(const double* at) { return *reinterpret_cast<const Vec*>(at); }
ROAM_SEISMIC_INLINE Vec& vec(double* at) { return *reinterpret_cast<Vec*>(at); }

/// Layout as constants of the compiler.
template <int N>
struct Dims {
  static constexpr int row = Layout{N}.row();
  static constexpr int vecs = row / lanes;
  static constexpr int plane = Layout{N}.plane();
  static constexpr int volume = Layout{N}.volume();
  static constexpr int quantity = Layout{N}.quantity();
  static constexpr int face = face_quantities * plane;

  /// Rows of a block whose accumulators, `per_row` vectors each, are at most `most`.
  static constexpr int rows_of_block(int per_row, int most) {
    const int fit = most / per_row > 1 ? most / per_row : 1;
    const int blocks = (N + fit - 1) / fit;
    return (N + blocks - 1) / blocks;
  }
};

/// An integer that templates can take.
template <int Value>
struct Constant {
  static constexpr int value = Value;
};

/// Calls body(Constant<rows>, first row) for blocks of `Rows` rows and for the rest.
template <int N, int Rows, class Body>
ROAM_SEISMIC_INLINE void for_blocks_of_rows(const Body& body) {
  for (int y = 0; y + Rows <= N; y += Rows) body(Constant<Rows>{}, y);
  if constexpr (N % Rows != 0) body(Constant<N % Rows>{}, N - N % Rows);
}

}  // namespace seismic::ROAM_SEISMIC_ISA
