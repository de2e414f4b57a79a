// SPDX-License-Identifier: Apache-2.0
// A reduction over 100,000 elements of a collection on two ranks of one process while one element
// in a hundred migrates, in turn with the same while none does. Every result is checked.
//   bench_collection_reduce [--short] [--repeats N] [--json FILE]
#include <roam/roam.hpp>

#include "../support/reduced_cells.hpp"

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  bench::Report report("reduction while 1 % migrate, in one process", "none migrates", "us");
  roam::Options options;
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = "in-process";
  options.pin.policy = roam::Pinning::Policy::compact;
  const auto take = [&](double still, double moving) {
    report.add("100,000 elements, 2 ranks", still, moving);
  };
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    co_await bench::reduce_in_turn(rt, settings.repeats, take);
  };
  if (roam::run(options, program) != 0) return 1;
  report.finish(settings);
  return 0;
}
