// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// The value below which the fraction `q` lies.
inline double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

/// Times short blocks of equal work. On a shared machine some are interrupted, for milliseconds;
/// the median block is not.
class Blocks {
 public:
  void begin(int count, int rounds_per_block) {
    count_ = static_cast<std::size_t>(count);
    rounds_ = rounds_per_block;
    done_ = 0;
    seconds_.clear();
    start_ = Clock::now();
  }
  /// After every round; false when the last block is over.
  bool next() {
    if (++done_ < rounds_) return true;
    const Clock::time_point now = Clock::now();
    seconds_.push_back(std::chrono::duration<double>(now - start_).count());
    start_ = now;
    done_ = 0;
    return seconds_.size() < count_;
  }
  /// Of one round, in the median block.
  [[nodiscard]] double seconds_per_round() const { return quantile(seconds_, 0.5) / rounds_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t count_ = 0;
  int rounds_ = 1;
  int done_ = 0;
  Clock::time_point start_;
  std::vector<double> seconds_;
};

/// "8 B", "64 KiB", "4 MiB".
inline std::string size_name(std::size_t bytes) {
  if (bytes >= (1U << 20)) return std::to_string(bytes >> 20) + " MiB";
  return bytes >= 1024 ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes) + " B";
}

/// Enough rounds for a block of some tens of microseconds where that is possible.
inline int rounds_for(std::size_t bytes) {
  return bytes <= 4096 ? 50 : bytes <= 65536 ? 5 : bytes <= (256U << 10) ? 2 : 1;
}
/// How many blocks: fewer of large transfers, whose blocks are long.
inline int blocks_for(std::size_t bytes, bool is_short) {
  const int most = is_short ? 20 : 60;
  return bytes <= 4096 ? most : bytes <= 65536 ? most / 2 : most / 4;
}

}  // namespace bench
