// SPDX-License-Identifier: Apache-2.0
// Task Bench on Roam: as a flow program, as mobile objects, as active messages (-model).
#include <memory>
#include <roam/roam.hpp>

#include "bench.hpp"
#include "report.hpp"

namespace task_bench {

namespace {

struct Program {
  Settings settings;
  std::shared_ptr<Bench> bench;  // shared by all ranks of the process
};

int read(int argc, char** argv, Program& program) {
  const int status = read_settings(argc, argv, {"flow", "objects", "messages"}, program.settings);
  if (status < 0) program.bench = std::make_shared<Bench>(program.settings);
  return status;
}

roam::Task<> run(roam::Runtime& rt, const Program& program) {
  if (program.settings.iteration_seconds > 0 && !rt.is_simulated())
    throw roam::Error("-iteration-seconds is for simulated machines (--roam-simulate)");
  Bench& bench = *program.bench;
  roam::Duration took{};
  if (program.settings.model == "flow") {
    took = co_await run_flow(rt, bench);
  } else if (program.settings.model == "objects") {
    took = co_await run_objects(rt, bench);
  } else {
    took = co_await run_messages(rt, bench);
  }
  const auto longest = co_await rt.reduce<roam::Max>(0, roam::seconds(took));
  if (longest) report(bench.graphs(), rt.size(), *longest);
}

}  // namespace

}  // namespace task_bench

int main(int argc, char** argv) {
  return roam::main(argc, argv, task_bench::read, task_bench::run);
}
