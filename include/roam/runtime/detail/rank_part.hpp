// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "roam/core/counter.hpp"

namespace roam {

class LastRecords;
class Runtime;

namespace trace {
struct RankTrace;
}  // namespace trace

/// What a room above (or a program) adds to every rank: it is made after the rank's own parts and
/// destroyed before them. In its constructor it may bind system messages, register pollers and
/// listeners, and name itself as a service (`rank.engine().services().set<Part>(this)`), by which
/// its handlers find it. Its statistics, records and reports are added to those of the rank's own
/// parts. Each function is called by one thread at a time unless said otherwise; none may block.
class RankPart {
 public:
  RankPart() = default;
  RankPart(const RankPart&) = delete;
  RankPart& operator=(const RankPart&) = delete;
  virtual ~RankPart() = default;

  /// Called when all parts of this rank have been made, before the main program is queued.
  virtual void start() {}
  /// Called at the regular end of the job: all main programs have ended, and no work is left. The
  /// rank ends when every part has called `done`, here or later; the next part is told then.
  virtual void finish(std::function<void()> done) {  // NOLINT: others keep it
    done();
  }
  /// Called when the job has failed: adds what this rank leaves behind to `records`. `is_at_rest`:
  /// all workers have ended; otherwise they are still running, and another thread calls this.
  /// Called once; after finish() only if something fails while the job ends.
  virtual void leave_records(LastRecords& records, bool is_at_rest) {
    static_cast<void>(records);
    static_cast<void>(is_at_rest);
  }
  /// Called by Runtime::begin_measurement() and end_measurement().
  virtual void begin_measurement() {}
  virtual void end_measurement() {}

  /// Adds figures since the rank's start, for RankStatistics::counters, RunSummary::counters, the
  /// trace and `roam report`. Any thread.
  virtual void add_statistics(Counters& counters) const { static_cast<void>(counters); }
  /// Adds events to the trace of this rank. Called when the trace is written, after leave_records()
  /// on any thread.
  virtual void add_to_trace(trace::RankTrace& trace) const { static_cast<void>(trace); }
  /// What this part knows about a job in which nothing can go on any more: full sentences that do
  /// not name the rank.
  [[nodiscard]] virtual std::vector<std::string> stuck_facts() const { return {}; }
};

/// How a part is made on each rank.
struct RankPartKind {
  std::string name;
  /// Makes the part, or returns nullptr if this rank's options (rank.options()) do not ask for it.
  std::unique_ptr<RankPart> (*make)(Runtime& rank);
};

/// Adds a kind of part to the registry, by one line beside the part:
///   const RankPartRegistrar part{{.name = "toys", .make = make_toys}};
/// Constructed during static initialisation, linked into an intrusive list that only registrars
/// write, and never changed after main() begins. Parts are made in the order of their names.
class RankPartRegistrar {
 public:
  explicit RankPartRegistrar(RankPartKind kind);
  RankPartRegistrar(const RankPartRegistrar&) = delete;
  RankPartRegistrar& operator=(const RankPartRegistrar&) = delete;

  /// All kinds, sorted by name whatever the order of static initialisation.
  [[nodiscard]] static std::vector<const RankPartKind*> kinds();

 private:
  const RankPartKind kind_;
  const RankPartRegistrar* next_;
};

}  // namespace roam
