// SPDX-License-Identifier: Apache-2.0
// A task with three reads and one write, its body empty: issued, tracked, run. Rows of 64 data,
// each written from three of the row before; two workers, one of which issues. In turn with
// OpenMP's tasks, which are told the same (depend clauses).
//   bench_flow_tasks [--short] [--repeats N] [--json FILE]
#include <omp.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <vector>

#include "../support/report.hpp"
#include "../support/settings.hpp"

namespace {

constexpr std::size_t width = 64;

double seconds_since(double begin) { return omp_get_wtime() - begin; }

void step(const double&, const double&, const double&, double&) {}

/// Seconds per task.
double roam_seconds(int steps, roam::WorkerIndex workers) {
  roam::Options options;
  options.ranks = 1;
  options.workers = workers;
  options.transport = "in-process";
  double result = 0;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    roam::flow::Flow fl(rt);
    std::array<std::vector<roam::flow::Handle<double>>, 2> rows;
    for (auto& row : rows) {
      for (std::size_t i = 0; i < width; ++i) row.push_back(fl.data(0.0));
    }
    const double begin = omp_get_wtime();
    for (int s = 0; s < steps; ++s) {
      const auto& from = rows[static_cast<std::size_t>(s % 2)];
      const auto& to = rows[static_cast<std::size_t>(1 - s % 2)];
      for (std::size_t i = 0; i < width; ++i)
        fl.work<&step>(from[(i + width - 1) % width], from[i], from[(i + 1) % width], to[i]);
    }
    co_await fl.done();
    result = seconds_since(begin) / (static_cast<double>(steps) * width);
  };
  if (roam::run(options, program) != 0) std::exit(1);
  return result;
}

double openmp_seconds(int steps, int threads) {
  static double rows[2][width];
  const double begin = omp_get_wtime();
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    for (int s = 0; s < steps; ++s) {
      for (std::size_t i = 0; i < width; ++i) {
        double* const a = &rows[s % 2][(i + width - 1) % width];
        double* const b = &rows[s % 2][i];
        double* const c = &rows[s % 2][(i + 1) % width];
        double* const d = &rows[1 - s % 2][i];
#pragma omp task depend(in : *a, *b, *c) depend(inout : *d)
        step(*a, *b, *c, *d);
      }
    }
  }
  return seconds_since(begin) / (static_cast<double>(steps) * width);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int steps = settings.is_short ? 20 : 20'000;
  bench::Report report("task with three reads and one write", "OpenMP tasks", "ns");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    report.add("two workers", openmp_seconds(steps, 2), roam_seconds(steps, 2));
    report.add("one worker", openmp_seconds(steps, 1), roam_seconds(steps, 1));
  }
  report.finish(settings);
  return 0;
}
