// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "roam/core/types.hpp"

namespace roam::testing {

/// Sums over what the schedules did; tests should check that schedules were as demanding as
/// intended.
struct Totals {
  std::uint64_t schedules = 0;    ///< schedules that were run
  std::uint64_t calls = 0;        ///< calls to objects
  std::uint64_t dead_calls = 0;   ///< of these, calls to objects that no longer existed
  std::uint64_t migrations = 0;   ///< moves of objects
  std::uint64_t refused = 0;      ///< moves that were refused
  std::uint64_t forwarded = 0;    ///< calls sent on, since the object had moved
  std::uint64_t set_aside = 0;    ///< calls that arrived before their predecessors
  std::uint64_t preemptions = 0;  ///< interruptions of the protocol
  std::uint64_t handlers = 0;     ///< handlers that were run
  std::uint64_t events = 0;       ///< events of the simulations
  Duration virtual_time{0};       ///< of all schedules together
  Totals& operator+=(const Totals& other);
};

/// One run of one seed.
struct Replay {
  std::string promise;  ///< the broken promise ("M3", "check", "error"); empty if none is
  std::string what;     ///< what was seen
  std::vector<std::string> decisions;  ///< the disturbances, in words
  std::vector<std::string> timeline;   ///< one line per step of the objects
  Totals totals;                       ///< of this schedule
};

/// The schedule that broke a promise, with as few disturbances as needed.
struct Failure {
  std::uint64_t seed = 0;              ///< for Report::replay()
  std::string promise;                 ///< as in Replay
  std::string what;                    ///< what was seen
  std::uint64_t disturbances = 0;      ///< in the schedule as it was found
  std::uint32_t replays = 0;           ///< number of runs needed to reduce them
  std::vector<std::string> decisions;  ///< the remaining ones, without which it does not fail
  /// The timeline of the run with these decisions alone, of the object concerned if there is one.
  std::vector<std::string> timeline;
};

/// The outcome of explore(). `EXPECT_TRUE(report.ok()) << report;`
class Report {
 public:
  /// @cond
  using ReplaySeed = std::function<Replay(std::uint64_t)>;
  Report(Totals totals, std::optional<Failure> failure, ReplaySeed replay)
      : totals_(totals), failure_(std::move(failure)), replay_(std::move(replay)) {}
  /// @endcond
  /// True if no schedule failed.
  [[nodiscard]] bool ok() const { return !failure_; }
  /// Sums over all schedules.
  [[nodiscard]] const Totals& totals() const { return totals_; }
  /// The first failure; nothing if ok().
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  /// Runs one seed again, with all its disturbances, and records everything that happens.
  [[nodiscard]] Replay replay(std::uint64_t seed) const { return replay_(seed); }

 private:
  Totals totals_;
  std::optional<Failure> failure_;
  ReplaySeed replay_;
};

/// Prints a line of totals; for a failure also its seed, what is violated, the remaining decisions
/// and the timeline.
std::ostream& operator<<(std::ostream& out, const Report& report);
std::ostream& operator<<(std::ostream& out, const Failure& failure);

}  // namespace roam::testing
