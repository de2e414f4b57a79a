// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stdexcept>

#include "exec/exec_helpers.hpp"

namespace roam::testing {

/// Awaits a condition on the state of another thread or rank, while this rank goes on with its
/// other work; ends the program with a failure after a while.
template <class Condition>
Task<> until(Condition condition) {
  for (int i = 0; !condition(); ++i) {
    if (i > 20'000) throw std::runtime_error("waited in vain");
    co_await exec::testing::Pause(std::chrono::milliseconds(1));
  }
}

}  // namespace roam::testing
