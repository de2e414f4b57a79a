// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/exec/engine.hpp"
#include "roam/runtime/detail/rank_part.hpp"
#include "roam/runtime/options.hpp"
#include "roam/trace/detail/event_log.hpp"
#include "roam/trace/run_trace.hpp"

namespace roam {

class LastRecords;
class Runtime;

/// Records the events of one rank (--roam-trace) and brings the traces of all ranks to rank 0,
/// which writes the file.
class RankTracer final : public exec::RunObserver, public RankPart {
 public:
  explicit RankTracer(Runtime& runtime);

  void ran(const exec::Context& context, Instant begin, Instant end) override;
  /// Discards what was recorded before.
  void begin_measurement() override;
  void end_measurement() override;

  /// Hands in this rank's trace. Calls `done` when this rank may stop: at once, or on rank 0 when
  /// the file has been written.
  void finish(std::function<void()> done) override;
  /// For a job that fails: adds this rank's trace to `records`, unless the whole trace has been
  /// written. `is_at_rest`: no worker is inside a handler. Any thread.
  void leave_records(LastRecords& records, bool is_at_rest) override;

 private:
  [[nodiscard]] Instant now() const;
  void migrated(ObjectId object, Rank to, std::uint64_t bytes);
  [[nodiscard]] trace::RankTrace collect() const;
  /// Drops what lies outside the measurement, and gives the rest in its time.
  void keep_measured(trace::OffloadTrips& trips) const;
  void add_decisions(trace::RankTrace& trace) const;
  void add_traffic(trace::RankTrace& trace) const;
  void add_phases(trace::RankTrace& trace) const;
  [[nodiscard]] bool is_outside(Instant begin, Instant end) const {
    return begin < start_ || end > end_;
  }
  [[nodiscard]] trace::RunTrace run_without_ranks() const;
  void take(trace::RankTrace&& trace);
  void write();
  struct OwnTrace;
  void on_trace(OwnTrace&& of_rank);

  Runtime& runtime_;
  trace::EventLog log_;
  Instant start_{0};
  Instant end_ = never;
  std::vector<am::SourceTraffic> traffic_before_;          // at the beginning of the measurement
  std::optional<std::vector<am::SourceTraffic>> traffic_;  // at the end of the measurement
  std::size_t phases_before_ = 0;                          // at the beginning of the measurement
  std::optional<std::size_t> phases_until_;                // at the end of the measurement
  // On rank 0, under the progress lock:
  std::vector<trace::RankTrace> traces_;
  std::function<void()> done_;
  std::atomic<bool> is_written_{false};
};

}  // namespace roam
