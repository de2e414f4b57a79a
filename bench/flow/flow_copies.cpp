// SPDX-License-Identifier: Apache-2.0
// Copies for readers (Handle::copied_for_readers): steps that modify a field of 64 KiB, after each
// of them a task that reads the field: it computes for as long as a step does, or waits 100 us as
// for a device to which it is written. Two workers. In turn without copies, where the next step
// waits for that task.
//   bench_flow_copies [--short] [--repeats N] [--json FILE]
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <thread>
#include <vector>

#include "../support/report.hpp"
#include "../support/settings.hpp"

namespace {

using Field = std::vector<double>;

void advance(Field& field) {
  for (double& value : field) value = std::sin(value) + 1.0;
}
void analyse(const Field& field, roam::flow::Accumulate<double, std::plus<>> sum) {
  double all = 0;
  for (const double value : field) all += std::sin(value);
  sum(all);
}

void write_out(const Field& field, roam::flow::Accumulate<double, std::plus<>> sum) {
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  sum(field.front());
}

/// Seconds per step.
template <auto Read>
double run_steps(int steps, bool are_copied) {
  roam::Options options;
  options.ranks = 1;
  options.workers = 2;
  options.transport = "in-process";
  double seconds = 0;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    roam::flow::Flow fl(rt);
    auto field = fl.data(Field(8192, 0.5));
    if (are_copied) field.copied_for_readers();
    auto sum = fl.data(0.0);
    const auto begin = std::chrono::steady_clock::now();
    for (int step = 0; step < steps; ++step) {
      fl.work<&advance>(field);
      fl.work<Read>(field, sum);
    }
    (void)co_await sum.get();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  if (roam::run(options, program) != 0) std::exit(1);
  return seconds / steps;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int steps = settings.is_short ? 10 : 2000;
  bench::Report report("step on a field of 64 KiB, and a task that reads it", "without copies",
                       "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    report.add("the task computes", run_steps<&analyse>(steps, false),
               run_steps<&analyse>(steps, true));
    report.add("the task waits", run_steps<&write_out>(steps, false),
               run_steps<&write_out>(steps, true));
  }
  report.finish(settings);
  return 0;
}
