// SPDX-License-Identifier: Apache-2.0
#pragma once

// For programs that are compiled with OpenMP.
#include <omp.h>

#include "flow_rows.hpp"

namespace bench {

/// The same rows as OpenMP tasks, without Roam, created by one of `threads` threads. Those of GCC
/// take the longer, the more of them are pending, so that they are awaited after each 8 rows.
/// Returns seconds per task.
inline double openmp_rows(int rows, int threads) {
  constexpr std::size_t width = row_width;
  constexpr int rows_between_waits = 8;
  static double data[2][width];
  const double begin = omp_get_wtime();
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    for (int s = 0; s < rows; ++s) {
      for (std::size_t i = 0; i < width; ++i) {
        double* const a = &data[s % 2][(i + width - 1) % width];
        double* const b = &data[s % 2][i];
        double* const c = &data[s % 2][(i + 1) % width];
        double* const d = &data[1 - s % 2][i];
#pragma omp task depend(in : *a, *b, *c) depend(inout : *d)
        row_task(*a, *b, *c, *d);
      }
      if (s % rows_between_waits == rows_between_waits - 1) {
#pragma omp taskwait
      }
    }
  }
  return (omp_get_wtime() - begin) / (static_cast<double>(rows) * width);
}

}  // namespace bench
