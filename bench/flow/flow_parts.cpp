// SPDX-License-Identifier: Apache-2.0
// What it costs to track parts of data: tasks that read three blocks of one vector and modify a
// block of another, with an empty body. In turn with data of their own for the blocks, which tasks
// use by three reads and one write.
//   bench_flow_parts [--short] [--repeats N] [--json FILE]
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <span>
#include <vector>

#include "../support/report.hpp"
#include "../support/settings.hpp"
#include "flow_rows.hpp"

namespace {

constexpr std::uint32_t window = 4096;

void part_task(std::span<const double> /*three*/, std::span<double> /*block*/) {}

/// Seconds per task for rows of tasks on the blocks of two vectors.
double run_parts(int rows, roam::WorkerIndex workers) {
  roam::Options options;
  options.ranks = 1;
  options.workers = workers;
  options.transport = "in-process";
  options.edit<roam::FlowOptions>().window = window;
  double seconds = 0;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    roam::flow::Flow fl(rt);
    const auto values = std::vector<double>(bench::row_width);
    const roam::flow::Handle<std::vector<double>> data[] = {fl.data(values), fl.data(values)};
    const auto begin = std::chrono::steady_clock::now();
    for (int s = 0; s < rows; ++s) {
      const auto& from = data[s % 2];
      const auto& to = data[1 - s % 2];
      for (std::size_t i = 0; i < bench::row_width; ++i) {
        fl.work<&part_task>(from.part(i == 0 ? 0 : i - 1, std::min(i + 2, bench::row_width)),
                            to.part(i, i + 1));
      }
    }
    co_await fl.done();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  if (roam::run(options, program) != 0) std::exit(1);
  return seconds / (static_cast<double>(rows) * bench::row_width);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int rows = settings.is_short ? 20 : 10'000;
  bench::Report report("task that reads three blocks and modifies one", "a datum for each block",
                       "ns");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    report.add("parts of two vectors, two workers", bench::run_rows(rows, 2, window),
               run_parts(rows, 2));
    report.add("parts of two vectors, one worker", bench::run_rows(rows, 1, window),
               run_parts(rows, 1));
  }
  report.finish(settings);
  return 0;
}
