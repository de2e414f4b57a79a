// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace seismic {

/// Receives what subdomains report to rank 0 besides the waves. Thread-safe.
class Mail {
 public:
  /// The greatest velocities of cells from `first` on, m/s.
  void note_velocities(std::int32_t first, std::span<const double> velocities) {
    const std::lock_guard guard(mutex_);
    const auto begin = static_cast<std::size_t>(first);
    if (velocities_.size() < begin + velocities.size()) {
      velocities_.resize(begin + velocities.size());
    }
    std::copy(velocities.begin(), velocities.end(),
              velocities_.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  [[nodiscard]] std::vector<double> take_velocities() {
    const std::lock_guard guard(mutex_);
    return std::exchange(velocities_, {});
  }
  void note_place(std::int32_t piece, std::int32_t rank) {
    const std::lock_guard guard(mutex_);
    if (ranks_.size() <= static_cast<std::size_t>(piece)) {
      ranks_.resize(static_cast<std::size_t>(piece) + 1);
    }
    ranks_[static_cast<std::size_t>(piece)] = rank;
  }
  /// The rank of each piece.
  [[nodiscard]] std::vector<std::int32_t> ranks() const {
    const std::lock_guard guard(mutex_);
    return ranks_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<double> velocities_;
  std::vector<std::int32_t> ranks_;
};

}  // namespace seismic
