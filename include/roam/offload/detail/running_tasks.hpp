// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::offload {

/// How long the tasks that are being computed will still take, by what each was expected to take.
/// Not thread-safe.
class RunningTasks {
 public:
  /// Adds a task; returns what remove() needs.
  [[nodiscard]] Instant add(Instant now, double expected_seconds) {
    const Instant end = now + from_seconds(expected_seconds);
    ++count_;
    ends_ += end;
    return end;
  }
  void remove(Instant end) {
    --count_;
    ends_ -= end;
  }
  /// Together, in seconds.
  [[nodiscard]] double seconds_left(Instant now) const {
    return std::max(0.0, seconds(ends_ - count_ * now));
  }

 private:
  std::int64_t count_ = 0;
  Instant ends_{0};  // their sum
};

}  // namespace roam::offload
