// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/core/counter.hpp"
#include "roam/core/types.hpp"

namespace roam {

/// How one worker spent its time. busy + idle + overhead is about the elapsed time.
struct WorkerStatistics {
  double busy_seconds = 0;      ///< inside handlers
  double idle_seconds = 0;      ///< without work
  double overhead_seconds = 0;  ///< scheduling, messages, balancing
  std::uint64_t handlers_run = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(busy_seconds, idle_seconds, overhead_seconds, handlers_run);
  }
};

/// What one rank did during its measurement.
struct RankStatistics {
  static constexpr std::string_view sent_by = "gather_statistics()";  ///< in reports
  std::int32_t rank = -1;
  double elapsed_seconds = 0;
  std::vector<WorkerStatistics> workers;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t messages_rejected = 0;
  std::uint64_t bytes_sent = 0;
  /// Since the rank's start, see am::MessengerStats: memory of messages that have arrived and wait
  /// (inside a process: sent and not let go yet), of messages that waited for credit, and how often
  /// a sender was held back.
  std::uint64_t most_held_bytes = 0;
  std::uint64_t most_waiting_bytes = 0;
  std::uint64_t times_held_back = 0;
  std::uint64_t forwarded_calls = 0;
  std::uint64_t migrations_in = 0;
  std::uint64_t migrations_out = 0;
  std::uint64_t migrations_refused = 0;  ///< of objects that are still here, or were then
  std::uint64_t migrated_bytes_out = 0;
  std::uint64_t objects = 0;  ///< here now
  /// Since the rank's start: how often it gave nothing to a rank short of work, since moves would
  /// have cost more than they gain; and both of the best of them, as predicted.
  std::uint64_t refused_requests = 0;
  double refused_gain_seconds = 0;
  double refused_cost_seconds = 0;
  Counters counters;  ///< of the rank's other parts, see RankPart

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank, elapsed_seconds, workers, messages_sent, messages_received, messages_rejected,
            bytes_sent, most_held_bytes, most_waiting_bytes, times_held_back, forwarded_calls,
            migrations_in, migrations_out, migrations_refused, migrated_bytes_out, objects,
            refused_requests, refused_gain_seconds, refused_cost_seconds, counters);
  }
};

/// Figures of a whole run, as users compare them. Runtime::summarise_statistics() gives them to
/// every rank.
struct RunSummary {
  double makespan_seconds = 0;  ///< longest elapsed time of a rank
  double mean_busy_seconds = 0;
  double max_busy_seconds = 0;
  double min_busy_seconds = 0;
  double efficiency = 0;  ///< mean busy / max busy
  double imbalance = 0;   ///< max busy / mean busy - 1
  double overhead_seconds = 0;
  std::uint64_t handlers_run = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t migrations = 0;
  std::uint64_t migrations_refused = 0;
  std::uint64_t migrated_bytes = 0;
  std::uint64_t refused_requests = 0;  ///< of all ranks, and the best of them
  double refused_gain_seconds = 0;
  double refused_cost_seconds = 0;
  Counters counters;  ///< of all ranks' other parts, see RankPart
};
/// Throws roam::Error if there are none, as on the ranks that Runtime::gather_statistics() gives
/// nothing to.
[[nodiscard]] RunSummary summarise(const std::vector<RankStatistics>& ranks);

namespace detail {

/// What the statistics of some ranks add up to, on the way to a RunSummary.
struct RunTotals {
  static constexpr std::string_view sent_by = "summarise_statistics()";
  std::uint64_t workers = 0;
  double elapsed_seconds = 0;  ///< the longest
  double busy_seconds = 0;
  double max_busy_seconds = 0;
  double min_busy_seconds = 0;
  double overhead_seconds = 0;
  std::uint64_t handlers_run = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t migrations = 0;
  std::uint64_t migrations_refused = 0;
  std::uint64_t migrated_bytes = 0;
  std::uint64_t refused_requests = 0;  ///< and the best of them
  double refused_gain_seconds = 0;
  double refused_cost_seconds = 0;
  Counters counters;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(workers, elapsed_seconds, busy_seconds, max_busy_seconds, min_busy_seconds,
            overhead_seconds, handlers_run, messages_sent, migrations, migrations_refused,
            migrated_bytes, refused_requests, refused_gain_seconds, refused_cost_seconds, counters);
  }
};
[[nodiscard]] RunTotals totals_of(const RankStatistics& rank);
[[nodiscard]] RunTotals join_totals(const RunTotals& a, const RunTotals& b);
[[nodiscard]] RunSummary summary_of(const RunTotals& totals);

}  // namespace detail

}  // namespace roam
