// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "roam/exec/engine.hpp"

namespace roam::flow {

/// How long a thread runs tasks one after the other before it looks after messages and whatever
/// else the rank has to do: some 20 us, or one task. It looks at the time after the first and then
/// the more rarely the shorter tasks are.
class Turn {
 public:
  explicit Turn(const exec::Engine& engine) : engine_(engine), begin_(engine.now()) {}
  /// Another task has run. True: the turn is over.
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
