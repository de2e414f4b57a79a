// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>

namespace task_bench {

/// A number from 0 to below 1 that depends on the given ones alone: the same on all ranks, in all
/// implementations. (The mixing is that of SplitMix64: Steele, Lea and Flood, OOPSLA 2014.)
[[nodiscard]] inline double random_unit(std::initializer_list<std::int64_t> of) {
  std::uint64_t state = 0x9e3779b97f4a7c15ULL;
  for (const std::int64_t one : of) {
    state += static_cast<std::uint64_t>(one) + 0x9e3779b97f4a7c15ULL;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebULL;
    state ^= state >> 31;
  }
  return static_cast<double>(state >> 11) * 0x1p-53;
}

}  // namespace task_bench
