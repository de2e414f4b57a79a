// SPDX-License-Identifier: Apache-2.0
// The tasks of bench_flow_tasks, rows of 64 with three reads and one write and an empty body, 16
// rows at a time as a graph that is replayed, in turn with the same tasks tracked.
//   bench_flow_graph [--short] [--repeats N] [--json FILE]
#include "../support/report.hpp"
#include "../support/settings.hpp"
#include "flow_rows.hpp"

namespace {

constexpr std::uint32_t window = 4096;

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int rows = settings.is_short ? 64 : 20'000;
  bench::Report report("task with three reads and one write", "tracked", "ns");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const int together : {2, 16}) {
      const std::string name = std::to_string(together) + " rows, ";
      for (const roam::WorkerIndex workers : {2U, 1U}) {
        report.add(name + (workers == 2 ? "two workers" : "one worker"),
                   bench::run_rows(rows, workers, window),
                   bench::run_rows(rows, workers, window, {}, together));
      }
    }
  }
  report.finish(settings);
  return 0;
}
