// SPDX-License-Identifier: Apache-2.0
// What a task costs with each back end: one with three reads and one write, its body empty, issued,
// ordered and run. Rows of 64 data, each written from three of the row before; two workers. In turn
// with Roam's own back end, and so are OpenMP's tasks without Roam.
//   bench_flow_backends [--short] [--repeats N] [--json FILE]
#include <omp.h>

#include <string>
#include <vector>

#include "../support/report.hpp"
#include "../support/settings.hpp"
#include "flow_rows.hpp"
#include "openmp_rows.hpp"

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  constexpr std::uint32_t window = 4096;
  const int rows = settings.is_short ? 20 : 2'000;
  bench::Report report("task with three reads and one write, two workers", "back end roam", "ns");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const std::string& name : roam::flow::backend_names()) {
      if (name == "roam") continue;
      const double own = bench::run_rows(rows, 2, window);
      report.add(name, own, bench::run_rows(rows, 2, window, {}, 0, name));
    }
    report.add("OpenMP without Roam", bench::run_rows(rows, 2, window),
               bench::openmp_rows(rows, 2));
  }
  report.finish(settings);
  return 0;
}
