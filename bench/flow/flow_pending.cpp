// SPDX-License-Identifier: Apache-2.0
// What it costs that many tasks are pending: a task with three reads and one write, its body empty,
// issued, tracked and run by one worker, with windows of 6,400 and 64,000 tasks in turn with one of
// 64. Then tasks through one window of 4,096 - 10^8, or 10^6 with --short - and how much more
// memory the process has at the end than after the first tenth.
//   bench_flow_pending [--short] [--repeats N] [--json FILE]
#include <cstdint>
#include <cstdio>

#include "../support/report.hpp"
#include "../support/resident_memory.hpp"
#include "../support/settings.hpp"
#include "flow_rows.hpp"

namespace {

void measure_memory(double tasks) {
  const int rows = static_cast<int>(tasks / bench::row_width);
  std::uint64_t before = 0;
  const double seconds = bench::run_rows(rows, 2, 4096, [&](int row) {
    if (row == rows / 10) before = bench::resident_kib();
  });
  const auto growth = static_cast<std::int64_t>(bench::resident_kib() - before);
  std::printf("%.0e tasks through one window of 4,096: %.0f ns each, growth of memory %lld KiB\n",
              tasks, 1e9 * seconds, static_cast<long long>(growth));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int rows = settings.is_short ? 4'000 : 20'000;  // more tasks than the largest window
  bench::Report report("task with three reads and one write, one worker", "64 pending", "ns");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const double few = bench::run_rows(rows, 1, 64);
    report.add("6,400 pending", few, bench::run_rows(rows, 1, 6'400));
    report.add("64,000 pending", few, bench::run_rows(rows, 1, 64'000));
  }
  report.finish(settings);
  measure_memory(settings.is_short ? 1e6 : 1e8);
  return 0;
}
