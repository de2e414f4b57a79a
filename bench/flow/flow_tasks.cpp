// SPDX-License-Identifier: Apache-2.0
// A task with three reads and one write, its body empty: issued, tracked, run. Rows of 64 data,
// each written from three of the row before; two workers, one of which issues. In turn with
// OpenMP's tasks, which are told the same (depend clauses). Those of GCC take the longer, the more
// of them are pending, so that they are awaited after each 8 rows.
//   bench_flow_tasks [--short] [--repeats N] [--json FILE]
#include <omp.h>

#include "../support/report.hpp"
#include "../support/settings.hpp"
#include "flow_rows.hpp"

namespace {

constexpr std::size_t width = bench::row_width;
constexpr int rows_between_waits = 8;
constexpr std::uint32_t window = 4096;

double openmp_seconds(int rows, int threads) {
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
        bench::row_task(*a, *b, *c, *d);
      }
      if (s % rows_between_waits == rows_between_waits - 1) {
#pragma omp taskwait
      }
    }
  }
  return (omp_get_wtime() - begin) / (static_cast<double>(rows) * width);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int rows = settings.is_short ? 20 : 20'000;
  bench::Report report("task with three reads and one write", "OpenMP tasks", "ns");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    report.add("two workers", openmp_seconds(rows, 2), bench::run_rows(rows, 2, window));
    report.add("one worker", openmp_seconds(rows, 1), bench::run_rows(rows, 1, window));
  }
  report.finish(settings);
  return 0;
}
