// SPDX-License-Identifier: Apache-2.0
// What it gains that policies move elements while tasks run, and what it costs where nothing can be
// gained: 32 blocks on two ranks with a worker each; in each step, tasks write what their
// neighbours read, compute for so long (uneven: those of the second rank a tenth of that), and
// contribute to a sum. Times of steps, in runs of half a second from the beginning, in turn with
// balancer "none". Perfect balance would take 0.55 of the time of uneven steps.
//   bench_flow_moving [--short] [--repeats N] [--json FILE]
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "../support/report.hpp"
#include "../support/settings.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Block = std::vector<double>;
constexpr std::int64_t blocks = 32;

struct Row {
  std::string name;
  std::size_t block_bytes;
  double first_us;   // what a task of the first half computes, on the first rank
  double second_us;  // and of the second half
};

struct Times {
  double first_us = 0;
  double second_us = 0;
};

void step(Block& own, const double& left, const double& right, roam::Index<1> at,
          const Times& times, roam::flow::Reduce<double, std::plus<>> sum) {
  const std::chrono::duration<double, std::micro> takes(at[0] < blocks / 2 ? times.first_us
                                                                           : times.second_us);
  const auto begin = Clock::now();
  own.front() += (left - right) / 4;
  while (Clock::now() - begin < takes) {
  }
  sum(own.front());
}

/// The seconds that a step takes.
double run(const Row& row, const std::string& balancer, int steps) {
  roam::Options options;
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = "in-process";
  options.balancer.name = balancer;
  double seconds = 0;
  const int status = roam::run(options, [&](roam::Runtime& rt) -> roam::Task<> {
    roam::flow::Flow fl(rt);
    auto own = fl.collection<Block>(roam::Index<1>{blocks});
    auto edge = fl.collection<double>(roam::Index<1>{blocks});
    auto sum = fl.data<double>();
    fl.for_each(
        [](roam::flow::Out<Block> block, roam::Index<1> at, std::size_t bytes) {
          block->assign(bytes / sizeof(double), static_cast<double>(at[0]));
        },
        own.own(), own.index(), row.block_bytes);
    co_await fl.done();
    co_await rt.barrier();
    const auto begin = Clock::now();
    for (int i = 0; i < steps; ++i) {
      fl.for_each([](const Block& block, roam::flow::Out<double> out) { *out = block.front(); },
                  own.own(), edge.own());
      fl.for_each<&step>(own.own(), edge.at(-1).periodic(), edge.at(1).periodic(), own.index(),
                         Times{row.first_us, row.second_us}, sum);
    }
    (void)co_await sum.get();
    co_await rt.barrier();
    if (rt.rank() == 0) seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  });
  if (status != 0) std::exit(1);
  return seconds / steps;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const std::vector<Row> rows{{"uneven, 1 ms, 8 KiB", 8 << 10, 1000, 100},
                              {"uneven, 1 ms, 800 KiB", 800 << 10, 1000, 100},
                              {"uneven, 100 us, 8 KiB", 8 << 10, 100, 10},
                              {"even, 100 us, 8 KiB", 8 << 10, 100, 100},
                              {"even, 10 us, 8 KiB", 8 << 10, 10, 10}};
  bench::Report report("step of 64 tasks, two ranks with a worker each", "none", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const Row& row : rows) {
      const double work = 16e-6 * (row.first_us + row.second_us);
      const int steps = settings.is_short ? 3 : static_cast<int>(0.5 / work) + 1;
      for (const char* const balancer : {"diffusion", "work_stealing"})
        report.add(row.name + ", " + balancer, run(row, "none", steps), run(row, balancer, steps));
    }
  }
  report.finish(settings);
  return 0;
}
