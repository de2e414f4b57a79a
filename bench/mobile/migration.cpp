// SPDX-License-Identifier: Apache-2.0
// One migration between two ranks of one process, packed and by pointer, in turn with two bare
// threads that copy as many bytes over.
//   bench_migration [--short] [--repeats N] [--json FILE]
#include <roam/roam.hpp>
#include <vector>

#include "../support/thread_pair.hpp"
#include "../support/wanderer.hpp"

namespace {

const std::vector<std::size_t> sizes{8, 65536, 1 << 20};

struct Times {
  std::vector<double> packed;      // seconds, by size
  std::vector<double> by_pointer;  // the same
};

Times roam_phase(bool is_short) {
  roam::Options options;
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = "in-process";
  options.pin.policy = roam::Pinning::Policy::compact;
  Times times;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 0) co_return;
    for (const std::size_t bytes : sizes) {
      const int blocks = bench::blocks_for(bytes, is_short);
      const int rounds = bench::rounds_for(bytes);
      times.packed.push_back(co_await bench::migration(bytes, blocks, rounds));
      times.by_pointer.push_back(co_await bench::migration<true>(bytes, blocks, rounds));
    }
  };
  if (roam::run(options, program) != 0) std::exit(1);
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  bench::Report report("migration between two ranks in one process", "bare threads", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const Times ours = roam_phase(settings.is_short);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const int blocks = bench::blocks_for(sizes[i], settings.is_short);
      const int rounds = bench::rounds_for(sizes[i]);
      const double copied = bench::ThreadPair::one_way(sizes[i], blocks, rounds);
      report.add(bench::size_name(sizes[i]), copied, ours.packed[i]);
      report.add(bench::size_name(sizes[i]) + ", by pointer", copied, ours.by_pointer[i]);
    }
  }
  report.finish(settings);
  return 0;
}
