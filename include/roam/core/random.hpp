// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roam::core {

/// SplitMix64 (Steele, Lea, Flood 2014): 8 bytes of state, the same sequence on every platform. For
/// runs that must replay byte for byte; not for cryptography. One thread at a time.
class Random {
 public:
  using result_type = std::uint64_t;
  /// Equal seeds give equal sequences.
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}
  /// The least number that operator() gives.
  static constexpr result_type min() { return 0; }
  /// The greatest number that operator() gives.
  static constexpr result_type max() { return ~result_type{0}; }
  constexpr result_type operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound); 0 if bound is 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>((*this)()) * bound) >> 64);
  }
  /// Uniform in [0, 1).
  constexpr double unit() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace roam::core
