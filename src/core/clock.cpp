// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/clock.hpp"

#include <fstream>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace roam::core {

namespace {

#if defined(__x86_64__)

__extension__ using Wide = unsigned __int128;

std::uint64_t read_ticks() { return __builtin_ia32_rdtsc(); }

// True if the counter has a constant rate in every power state and is synchronised well enough for
// the kernel to keep time with it.
bool ticks_keep_time() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned invariant = 1U << 8;
  if (__get_cpuid(0x80000007U, &a, &b, &c, &d) == 0 || (d & invariant) == 0) return false;
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  return static_cast<bool>(file >> source) && source == "tsc";
}

struct Sample {
  std::uint64_t ticks;
  std::chrono::steady_clock::time_point time;
};

// The sample, of several, that was least disturbed by interruptions.
Sample sample() {
  Sample best{};
  std::uint64_t best_gap = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = read_ticks();
    const auto time = std::chrono::steady_clock::now();
    const std::uint64_t gap = read_ticks() - before;
    if (gap < best_gap) best_gap = gap, best = {before + gap / 2, time};
  }
  return best;
}

std::uint64_t measure_scale() {
  if (!ticks_keep_time()) return 0;
  const Sample begin = sample();
  while (std::chrono::steady_clock::now() - begin.time < std::chrono::milliseconds(2)) {
  }
  const Sample end = sample();
  const auto elapsed = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(end.time - begin.time).count());
  return static_cast<std::uint64_t>((Wide{elapsed} << 32) / (end.ticks - begin.ticks));
}

#else

std::uint64_t read_ticks() { return 0; }
std::uint64_t measure_scale() { return 0; }

#endif

std::uint64_t scale_of_this_machine() {
  static const std::uint64_t scale = measure_scale();
  return scale;
}

}  // namespace

TickCounter TickCounter::start() {
  TickCounter counter;
  counter.start_ticks_ = read_ticks();
  counter.scale_ = scale_of_this_machine();
  return counter;
}

}  // namespace roam::core
