// SPDX-License-Identifier: Apache-2.0
// One-way time of a call on an object of another rank of the same process, one worker each, 8 B, in
// turn with an active message.
//   bench_remote_call [--short] [--repeats N] [--json FILE]
#include <roam/roam.hpp>

#include "../support/object_ping_pong.hpp"

namespace {

bench::MessageAndCall roam_phase(int blocks) {
  roam::Options options;
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = "in-process";
  options.pin.policy = roam::Pinning::Policy::compact;
  bench::MessageAndCall seconds;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) seconds = co_await bench::message_and_call_one_way(blocks, 50);
  };
  if (roam::run(options, program) != 0) std::exit(1);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  bench::Report report("call on an object of another rank, 8 B, one way", "active message", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const bench::MessageAndCall seconds = roam_phase(settings.is_short ? 40 : 100);
    report.add("in one process", seconds.message, seconds.call);
  }
  report.finish(settings);
  return 0;
}
