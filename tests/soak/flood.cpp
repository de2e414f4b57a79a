// SPDX-License-Identifier: Apache-2.0
// A1, A2, A3: every rank sends COUNT small messages to the next one, all at once. They must all
// come, in order, and the process must not grow by more than LIMIT_MIB on the way (0: no limit).
// After each BURST of messages a rank lets its handlers run; 0: only once it has sent everything.
//   flood COUNT [LIMIT_MIB [BURST]] [Roam's options]
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <roam/roam.hpp>
#include <string>

namespace {

struct Plan {
  std::uint64_t count = 0;
  std::uint64_t limit_kib = 64 * 1024;
  std::uint64_t burst = 1000;
};

/// What a rank has heard; written by its one worker.
struct Heard {
  std::uint64_t next = 0;
  std::uint64_t out_of_order = 0;
};

Heard& heard(roam::Rank rank) {
  static Heard of_rank[64];
  return of_rank[rank.index()];
}

void hear(std::uint64_t sequence) {
  Heard& mine = heard(roam::here().rank());
  if (sequence != mine.next) ++mine.out_of_order;
  mine.next = sequence + 1;
}

void nothing() {}

/// A line of /proc/self/status, as VmHWM, in KiB; 0 where there is none.
std::uint64_t memory_kib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stoull(line.substr(field.size() + 1));
  }
  return 0;
}

roam::Task<> send_all(roam::Runtime& rt, const Plan& plan) {
  const roam::Rank next((rt.rank().value() + 1) % rt.size());
  for (std::uint64_t i = 0; i < plan.count; ++i) {
    rt.send<&hear>(next, i);
    // Comes back behind what has arrived by then.
    if (plan.burst > 0 && i % plan.burst == plan.burst - 1)
      co_await rt.request<&nothing>(rt.rank());
  }
}

roam::Task<> flood(roam::Runtime& rt, const Plan& plan) {
  co_await rt.barrier();
  const std::uint64_t before = memory_kib("VmRSS");
  const roam::Instant start = rt.now();
  co_await send_all(rt, plan);
  co_await rt.quiescence();
  const double seconds = std::chrono::duration<double>(rt.now() - start).count();
  const std::uint64_t grown = memory_kib("VmHWM") - before;
  const Heard& mine = heard(rt.rank());
  std::printf("rank %d: %" PRIu64 " of %" PRIu64 " messages, %" PRIu64
              " out of order, %.2f s, %.2f million/s, grown by %" PRIu64 " KiB\n",
              rt.rank().value(), mine.next, plan.count, mine.out_of_order, seconds,
              static_cast<double>(plan.count) / seconds / 1e6, grown);
  if (mine.next != plan.count || mine.out_of_order > 0)
    throw roam::Error("messages are missing or out of order");
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
  plan.count = number(1, 200'000);
  plan.limit_kib = 1024 * number(2, 64);
  plan.burst = number(3, 1000);
  return roam::run(argc, argv, program);
}
