// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <vector>

namespace bench {

/// What this process occupies of the machine's memory now, KiB; 0 where the system does not say.
inline std::uint64_t resident_kib() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

/// Memory at a time since the start.
struct MemorySample {
  double seconds = 0;
  std::uint64_t kib = 0;
};

/// By how much the last third of the time after `warm_up_seconds` went beyond the first, KiB: what
/// a leak adds, whatever single peaks there are. Negative: it went less far.
inline std::int64_t growth_kib(const std::vector<MemorySample>& samples, double warm_up_seconds,
                               double end_seconds) {
  const double third = (end_seconds - warm_up_seconds) / 3;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  for (const MemorySample& sample : samples) {
    if (sample.seconds < warm_up_seconds) continue;
    if (sample.seconds < warm_up_seconds + third) first = std::max(first, sample.kib);
    if (sample.seconds >= end_seconds - third) last = std::max(last, sample.kib);
  }
  return static_cast<std::int64_t>(last) - static_cast<std::int64_t>(first);
}

}  // namespace bench
