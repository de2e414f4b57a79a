// SPDX-License-Identifier: Apache-2.0
// A3: rank 0 sends COUNT messages of BYTES to each other rank at once, whose handler computes for
// MICROSECONDS. No process may grow by more than LIMIT_MIB on the way (0: no limit).
//   slow_receiver COUNT [LIMIT_MIB [BYTES [MICROSECONDS]]] [Roam's options]
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <roam/roam.hpp>
#include <string>
#include <vector>

namespace {

struct Plan {
  std::uint64_t count = 0;
  std::uint64_t limit_kib = 64 * 1024;
  std::uint64_t bytes = 8000;
  std::uint64_t microseconds = 1000;
};

std::atomic<std::uint64_t>& heard() {
  static std::atomic<std::uint64_t> in_this_process{0};
  return in_this_process;
}

void hear(std::uint64_t microseconds, const std::vector<char>&) {
  roam::here().compute(std::chrono::microseconds(microseconds));
  heard().fetch_add(1, std::memory_order_relaxed);
}

/// A line of /proc/self/status, as VmHWM, in KiB; 0 where there is none.
std::uint64_t memory_kib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stoull(line.substr(field.size() + 1));
  }
  return 0;
}

roam::Task<> flood(roam::Runtime& rt, const Plan& plan) {
  co_await rt.barrier();
  const std::uint64_t before = memory_kib("VmRSS");
  const roam::Instant start = rt.now();
  if (rt.rank() == 0) {
    const std::vector<char> ballast(plan.bytes);
    for (std::uint64_t i = 0; i < plan.count; ++i) {
      for (std::int32_t to = 1; to < rt.size(); ++to)
        rt.send<&hear>(to, plan.microseconds, ballast);
    }
  }
  co_await rt.quiescence();
  const double seconds = std::chrono::duration<double>(rt.now() - start).count();
  const std::uint64_t grown = memory_kib("VmHWM") - before;
  const roam::RankStatistics statistics = rt.statistics();
  std::printf("rank %d: %.2f s, grown by %" PRIu64 " KiB; at most %" PRIu64 " KiB held, %" PRIu64
              " KiB waiting; held back %" PRIu64 " times\n",
              rt.rank().value(), seconds, grown, statistics.most_held_bytes / 1024,
              statistics.most_waiting_bytes / 1024, statistics.times_held_back);
  if (rt.rank() != 0 && heard() < plan.count) throw roam::Error("messages are missing");
  if (plan.limit_kib > 0 && grown > plan.limit_kib)
    throw roam::Error("the process has grown by more than " + std::to_string(plan.limit_kib) +
                      " KiB");
}

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> { return flood(rt, plan); };
  // Before the first option: roam::run takes its own out of argv.
  const auto number = [&](int index, std::uint64_t missing) {
    return index < argc && argv[index][0] != '-' ? std::stoull(argv[index]) : missing;
  };
  plan.count = number(1, 5000);
  plan.limit_kib = 1024 * number(2, 64);
  plan.bytes = number(3, plan.bytes);
  plan.microseconds = number(4, plan.microseconds);
  return roam::run(argc, argv, program);
}
