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
#include "openmp_rows.hpp"

namespace {

constexpr std::uint32_t window = 4096;

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int rows = settings.is_short ? 20 : 20'000;
  bench::Report report("task with three reads and one write", "OpenMP tasks", "ns");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    report.add("two workers", bench::openmp_rows(rows, 2), bench::run_rows(rows, 2, window));
    report.add("one worker", bench::openmp_rows(rows, 1), bench::run_rows(rows, 1, window));
  }
  report.finish(settings);
  return 0;
}
