// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "roam/exec/scheduler.hpp"
#include "roam/placement/strategy.hpp"
#include "roam/runtime/options.hpp"

namespace roam::testing {

/// Descriptions of the rules that are broken, one line each; empty if none is.
/// `EXPECT_THAT(check_...(...), IsEmpty())`
using Faults = std::vector<std::string>;

/// Makes the scheduler of a rank with that many workers.
using MakeScheduler = std::function<std::unique_ptr<exec::Scheduler>(WorkerIndex workers)>;

/// Tests a scheduler against the contract of exec::Scheduler: every pushed item is popped once, by
/// one thread and by several, whichever thread pushed it; nothing is popped from an empty one; the
/// same pushes and pops give the same order twice; keeps_push_order is true to its name. Blocks for
/// about 0.1 s; starts threads.
[[nodiscard]] Faults check_scheduler(const MakeScheduler& make);

/// Tests a registered balancing policy against the contract of balance::Policy: it accepts any
/// message or refuses it by MalformedMessage, sends and moves to other ranks of the job only, falls
/// silent where there is no work (B2), moves only what gains by it and no object back and forth
/// (B3), costs a balanced and an imbalanced program at most 1 %, decides the same with the same
/// seed (R1), and fulfils every promise of explore() on `schedules` disturbed schedules. If it
/// schedules() its rank, push and pop are tested like check_scheduler(). Blocks for seconds, in
/// virtual time on the calling thread; starts threads only for check_scheduler.
[[nodiscard]] Faults check_policy(const PluginChoice& choice, std::uint64_t schedules = 200);

/// Makes a strategy.
using MakeStrategy = std::function<std::unique_ptr<placement::Strategy>()>;

/// Tests a strategy against the contract of Strategy::place: every object is placed once, on a rank
/// of the machine; pinned ones stay; a second call gives the same placement. Uses `instances`
/// random problems (the fault names the seed) and adversarial ones: no objects, one rank, more
/// ranks than objects, loads of zero, huge and tiny ones, one giant, all pinned. Blocks while the
/// strategy decides; an exception is a fault. After 20 faults no further problem is tried.
[[nodiscard]] Faults check_strategy(const MakeStrategy& make, std::uint64_t instances = 1000);
/// Tests a registered strategy with its default parameters, like check_strategy() above.
[[nodiscard]] Faults check_strategy(const placement::StrategyKind& kind,
                                    std::uint64_t instances = 1000);

}  // namespace roam::testing
