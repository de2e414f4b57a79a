// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/runtime/options.hpp"
#include "roam/runtime/runtime.hpp"
#include "roam/testing/report.hpp"

namespace roam::testing {

/// A range of values of which one is drawn, both ends included.
template <class T>
struct Range {
  T least;  ///< itself included
  T most;   ///< itself included
};

/// The probability of a kind of disturbance where it is possible, and its largest size. For each
/// kind, some schedules have none, some a quarter, some twice as much: set `share` to 0 to have
/// none.
struct Disturbance {
  double share;         ///< probability, 0 to 1, at each place where it could happen
  Duration longest{0};  ///< largest size, if it has one
};

/// Which schedules are explored. By default there are disturbances of all kinds.
struct ExploreOptions {
  std::uint64_t first_seed = 1;    ///< seed of the first schedule; each has its own
  std::uint64_t schedules = 1000;  ///< how many
  /// Real time after which no further schedule begins; 0: none.
  std::chrono::duration<double> time_limit{0};

  // The machine: drawn anew for each schedule.
  Range<std::int32_t> ranks{2, 4};      ///< that run the program
  Range<std::int32_t> helpers{0, 0};    ///< further ranks (--roam-helpers), 4096 in all at most
  Range<std::uint32_t> workers{1, 2};   ///< of each rank
  Range<std::uint32_t> max_hops{1, 4};  ///< --roam-max-hops
  /// The location policies, one of which is drawn for each schedule.
  std::vector<LocationPolicy> location_policies = {LocationPolicy::lazy, LocationPolicy::eager,
                                                   LocationPolicy::home};
  /// Share of the schedules in which ranks forget objects that they have just called: a directory
  /// of a few entries.
  double small_directories = 0.3;
  /// The choices of --roam-balancer, one of which is drawn for each schedule.
  std::vector<PluginChoice> balancers = {{"none", {}}};
  /// Sets further options of a schedule's job, with the given random numbers; nullptr: defaults.
  std::function<void(Options& options, core::Random& random)> configure;
  /// Share of the schedules whose network lets messages between the same ranks overtake each other.
  double reordering_networks = 0.25;
  /// Share of the schedules whose ranks are treated as those of one process, which hand objects to
  /// each other by pointer if their class allows it (roam::moves_by_pointer).
  double shared_memories = 0.25;
  /// Share of the schedules in which a message over 256 bytes travels in two phases.
  double small_messages = 0.25;

  // Disturbances; each one is a separate decision, named in the report of a failure.
  Disturbance late_messages{0.3, std::chrono::microseconds(20)};  ///< a message arrives late
  Disturbance late_steps{0.2, std::chrono::microseconds(4)};      ///< a worker continues late
  Disturbance slow_ranks{0.15, std::chrono::microseconds(3)};     ///< all their steps
  Disturbance shuffled_ties{0.5};  ///< the order of events at one instant
  /// The protocol is interrupted at one of its steps, while other workers and ranks continue.
  Disturbance preemptions{0.06, std::chrono::milliseconds(1)};
  /// An object is moved: between two events, or at such a step.
  Disturbance migrations{0.05};
  /// The most orders to move in a schedule; each creates events at which the next may be given.
  std::uint32_t most_migrations = 40;
  Disturbance refusals{0.12};  ///< of arriving objects
  /// A helper is lost, between two events; the others hear of it within the longest time.
  Disturbance lost_helpers{0.002, std::chrono::microseconds(50)};
  Disturbance actions{0.01};       ///< the scenario's own, between two events
  std::uint32_t most_actions = 4;  ///< per schedule

  /// A schedule with more events than this counts as endless (M10).
  std::uint64_t most_events = 200'000;
  /// Compare an object's state on arrival with its state on departure (M5): costs packing it two
  /// more times, and requires that equal states pack to equal bytes.
  bool compare_states = true;

  // After a failure; exploration ends with the first one.
  std::uint32_t most_replays = 2000;  ///< to find the few decisions that matter
  std::string failure_file;           ///< file that also gets the report; empty: none
  /// Called before each schedule with its seed, on the calling thread.
  std::function<void(std::uint64_t seed)> announce;
};

/// The machine of one schedule, and random numbers for the scenario's own choices.
struct Schedule {
  std::uint64_t seed = 0;     ///< as in the report of a failure
  std::int32_t ranks = 0;     ///< that run the program
  std::int32_t helpers = 0;   ///< further ranks of the machine
  std::uint32_t workers = 0;  ///< of each rank
  /// Random numbers that depend on the seed alone, and not on the disturbances.
  core::Random random{0};
};

/// Something that the harness may do to the program between two events, from outside.
struct Action {
  std::string name;  ///< in the report of a failure
  /// `rank`: the rank chosen by the harness; `random`: for further choices.
  std::function<void(Runtime& rank, core::Random& random)> act;
};

/// What is run under each schedule; made anew for each, so that nothing is shared between them.
struct Scenario {
  Runtime::Program program;  ///< run on all ranks but helpers
  /// State that all ranks share, for tests only: roam::testing::state<T>().
  std::shared_ptr<void> state;
  /// Called on rank 0 when quiescence is found, before anybody continues.
  std::function<void()> at_quiescence;
  /// Called after a regular end of the job.
  std::function<void()> at_end;
  std::vector<Action> actions;  ///< one of which the harness may choose at any time
};
/// Makes the scenario of one schedule, on the thread that explores.
using MakeScenario = std::function<Scenario(Schedule&)>;

/// Runs the scenario under many schedules, on the calling thread, each a simulated job of its own
/// in virtual time, and checks its history: M2 exactly once, M3 order, M4 access, M5 and M6 state
/// and calls survive moves, M7 places, M8 ends, M10 quiescence; further check(), exceptions and
/// errors of the program, and jobs that get stuck. Stops at the first failure, repeats it with
/// fewer and fewer disturbances (delta debugging; Zeller and Hildebrandt 2002) and reports what is
/// left. Throws ConfigError for options out of range. Several threads may explore at once.
[[nodiscard]] Report explore(const ExploreOptions& options, const MakeScenario& scenario);
/// Explores a program that needs no scenario of its own, as explore() above.
[[nodiscard]] Report explore(const ExploreOptions& options, const Runtime::Program& program);

}  // namespace roam::testing
