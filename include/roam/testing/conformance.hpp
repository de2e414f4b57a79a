// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "roam/exec/scheduler.hpp"

namespace roam::testing {

/// What does not hold, one line each; empty: all does. `EXPECT_THAT(check_...(...), IsEmpty())`
using Faults = std::vector<std::string>;

using MakeScheduler = std::function<std::unique_ptr<exec::Scheduler>(WorkerIndex workers)>;

/// Holds a scheduler against the contract of exec::Scheduler: every pushed item comes out of pop
/// once, by one thread and among several, whoever pushed it; nothing comes out of an empty one; the
/// same pushes and pops give the same order twice; keeps_push_order says the truth. Blocks for
/// about 0.1 s; starts threads.
[[nodiscard]] Faults check_scheduler(const MakeScheduler& make);

}  // namespace roam::testing
