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

/// How often a kind of disturbance happens where it can, and at most how large it is. Of each kind
/// some schedules have none, some a quarter, some twice as much: set `share` to 0 to have none.
struct Disturbance {
  double share;         ///< of the places where it could happen, 0 to 1
  Duration longest{0};  ///< its size at most, where it has one
};

/// Which schedules are explored. The defaults disturb everything.
struct ExploreOptions {
  std::uint64_t first_seed = 1;    ///< each schedule has one, counted from here
  std::uint64_t schedules = 1000;  ///< how many
  /// Real time after which no further schedule begins; 0: none.
  std::chrono::duration<double> time_limit{0};

  // The machine: drawn anew for each schedule.
  Range<std::int32_t> ranks{2, 4};      ///< of the machine
  Range<std::uint32_t> workers{1, 2};   ///< of each rank
  Range<std::uint32_t> max_hops{1, 4};  ///< --roam-max-hops
  /// One of them per schedule.
  std::vector<LocationPolicy> location_policies = {LocationPolicy::lazy, LocationPolicy::eager,
                                                   LocationPolicy::home};
  /// Share of the schedules in which ranks forget objects that they have just called: a directory
  /// of a few entries.
  double small_directories = 0.3;
  /// One of them per schedule, as in --roam-balancer.
  std::vector<PluginChoice> balancers = {{"none", {}}};
  /// Further options of a schedule's job, drawn by the randomness given; nullptr: defaults.
  std::function<void(Options& options, core::Random& random)> configure;
  /// Share of the schedules whose network lets messages of one pair overtake each other.
  double reordering_networks = 0.25;
  /// Share of the schedules whose ranks are of one process, between which objects whose class
  /// allows it (roam::moves_by_pointer) change hands by pointer.
  double shared_memories = 0.25;
  /// Share of the schedules in which a message over 256 bytes travels in two phases.
  double small_messages = 0.25;

  // Disturbances: each one is a decision of its own, named in the report of a failure.
  Disturbance late_messages{0.3, std::chrono::microseconds(20)};  ///< a message arrives late
  Disturbance late_steps{0.2, std::chrono::microseconds(4)};      ///< a worker goes on late
  Disturbance slow_ranks{0.15, std::chrono::microseconds(3)};     ///< all their steps
  Disturbance shuffled_ties{0.5};  ///< the order of events at one instant
  /// The protocol is interrupted at one of its steps, and other workers and ranks go on.
  Disturbance preemptions{0.06, std::chrono::milliseconds(1)};
  /// An object is moved: between two events, or at such a point.
  Disturbance migrations{0.05};
  /// Orders to move, per schedule; each makes events in which the next can be given.
  std::uint32_t most_migrations = 40;
  Disturbance refusals{0.12};      ///< of arriving objects
  Disturbance actions{0.01};       ///< the scenario's own, between two events
  std::uint32_t most_actions = 4;  ///< per schedule

  /// A schedule with more events has no end (M10).
  std::uint64_t most_events = 200'000;
  /// Compare an object's state as it arrives with its state when it left (M5): costs packing it
  /// twice more, and that equal states pack to equal bytes.
  bool compare_states = true;

  // A failure: exploration ends with the first.
  std::uint32_t most_replays = 2000;  ///< to find the few decisions that matter
  std::string failure_file;           ///< its report goes there as well; empty: nowhere
  /// Called before each schedule with its seed, on the calling thread.
  std::function<void(std::uint64_t seed)> announce;
};

/// One schedule's machine, and randomness for what the scenario itself chooses.
struct Schedule {
  std::uint64_t seed = 0;     ///< as in the report of a failure
  std::int32_t ranks = 0;     ///< of the machine
  std::uint32_t workers = 0;  ///< of each rank
  /// Random numbers that depend on the seed alone, and not on the disturbances.
  core::Random random{0};
};

/// Something the harness may do to the program between two events, from outside.
struct Action {
  std::string name;  ///< in the report of a failure
  /// `rank`: whom the harness has chosen to act; `random`: for further choices.
  std::function<void(Runtime& rank, core::Random& random)> act;
};

/// What is run under each schedule; made anew for every one, nothing is shared between them.
struct Scenario {
  Runtime::Program program;  ///< on all ranks
  /// What all ranks share, for the test alone: roam::testing::state<T>().
  std::shared_ptr<void> state;
  /// On rank 0 when quiescence is found, before anybody continues.
  std::function<void()> at_quiescence;
  /// After a regular end of the job.
  std::function<void()> at_end;
  std::vector<Action> actions;  ///< of which the harness may choose at any time
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
