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

/// What does not hold, one line each; empty: all does. `EXPECT_THAT(check_...(...), IsEmpty())`
using Faults = std::vector<std::string>;

/// Makes the scheduler of a rank with so many workers.
using MakeScheduler = std::function<std::unique_ptr<exec::Scheduler>(WorkerIndex workers)>;

/// Holds a scheduler against the contract of exec::Scheduler: every pushed item comes out of pop
/// once, by one thread and among several, whoever pushed it; nothing comes out of an empty one; the
/// same pushes and pops give the same order twice; keeps_push_order says the truth. Blocks for
/// about 0.1 s; starts threads.
[[nodiscard]] Faults check_scheduler(const MakeScheduler& make);

/// Holds a registered balancing policy against the contract of balance::Policy: it takes any
/// message or refuses it by MalformedMessage, sends and moves to other ranks of the job alone,
/// falls silent where there is no work (B2), moves only what gains by it and no object to and fro
/// (B3), costs a balanced and an imbalanced program at most 1 %, decides the same with the same
/// seed (R1), and keeps every promise of explore() on `schedules` disturbed schedules. If it
/// schedules() its rank, check_scheduler holds for push and pop. Blocks for seconds, in virtual
/// time on the calling thread; starts threads only for check_scheduler.
[[nodiscard]] Faults check_policy(const PluginChoice& choice, std::uint64_t schedules = 200);

/// Makes a strategy.
using MakeStrategy = std::function<std::unique_ptr<placement::Strategy>()>;

/// Holds a strategy against the contract of Strategy::place: every object placed once, on a rank of
/// the machine, pinned ones where they are, the same placement when asked again. On `instances`
/// drawn ones (the fault names the seed) and on adversarial ones: no objects, one rank, more ranks
/// than objects, loads of zero, huge and tiny ones, one giant, all pinned. Blocks while the
/// strategy decides; what it throws is a fault. After 20 faults no further instance is drawn.
[[nodiscard]] Faults check_strategy(const MakeStrategy& make, std::uint64_t instances = 1000);
/// Holds a registered strategy, with its default parameters, against the contract, as
/// check_strategy() above.
[[nodiscard]] Faults check_strategy(const placement::StrategyKind& kind,
                                    std::uint64_t instances = 1000);

}  // namespace roam::testing
