// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "roam/exec/engine.hpp"

namespace roam::flow {

/// Limits how long a thread runs tasks before it handles messages and the other work of the rank:
/// about 20 us, or one task. The clock is read after the first task and then the less often the
/// shorter the tasks are.
class Turn {
 public:
  explicit Turn(const exec::Engine& engine) : engine_(engine), begin_(engine.now()) {}
  /// Reports that a task has run. Returns true if the turn is over.
  [[nodiscard]] bool is_over() {
    if (++done_ < next_look_) return false;
    const Duration elapsed = engine_.now() - begin_;
    if (elapsed > length) return true;
    next_look_ = done_ + std::min(done_, most_between_looks);
    return false;
  }
  [[nodiscard]] std::uint32_t done() const { return done_; }

 private:
  static constexpr Duration length = std::chrono::microseconds(20);
  static constexpr std::uint32_t most_between_looks = 16;

  const exec::Engine& engine_;
  const Instant begin_;
  std::uint32_t done_ = 0;
  std::uint32_t next_look_ = 1;
};

}  // namespace roam::flow
