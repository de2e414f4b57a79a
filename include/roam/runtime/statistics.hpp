// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/core/counter.hpp"
#include "roam/core/types.hpp"

namespace roam {

/// How one worker spent its time. busy + idle + overhead is about the elapsed time.
struct WorkerStatistics {
  double busy_seconds = 0;         ///< inside handlers
  double idle_seconds = 0;         ///< without work
  double overhead_seconds = 0;     ///< scheduling, messages, balancing
  std::uint64_t handlers_run = 0;  ///< handlers and main programs, each once

  template <class Archive>
  void serialize(Archive& archive) {
    archive(busy_seconds, idle_seconds, overhead_seconds, handlers_run);
  }
};

/// What one rank did during its measurement.
struct RankStatistics {
  static constexpr std::string_view sent_by = "gather_statistics()";  ///< for reports of Roam's
  std::int32_t rank = -1;                 ///< whose statistics these are
  double elapsed_seconds = 0;             ///< how long the measurement lasted
  std::vector<WorkerStatistics> workers;  ///< by worker
  std::uint64_t messages_sent = 0;        ///< of every kind, including Roam's own
  std::uint64_t messages_received = 0;    ///< likewise
  /// Messages that could not be decoded, or named a handler that does not exist.
  std::uint64_t messages_rejected = 0;
  std::uint64_t bytes_sent = 0;  ///< of these messages
  /// Since the rank's start, the largest amount of memory of messages that had arrived and waited
  /// (inside a process: that were sent and not released yet).
  std::uint64_t most_held_bytes = 0;
  /// Since the rank's start, the largest amount of memory of messages that waited until their
  /// receiver could take them.
  std::uint64_t most_waiting_bytes = 0;
  /// Since the rank's start, how often a sender was made to wait.
  std::uint64_t times_held_back = 0;
  std::uint64_t forwarded_calls = 0;     ///< sent on from here because the object had moved
  std::uint64_t migrations_in = 0;       ///< objects that arrived
  std::uint64_t migrations_out = 0;      ///< objects that left
  std::uint64_t migrations_refused = 0;  ///< moves refused; these objects stayed here
  std::uint64_t migrated_bytes_out = 0;  ///< of the objects that left, packed
  std::uint64_t objects = 0;             ///< here now
  /// Since the rank's start: how often it gave nothing to a rank short of work, because moves would
  /// have cost more than they gain.
  std::uint64_t refused_requests = 0;
  /// What the best of these moves would have gained, as predicted.
  double refused_gain_seconds = 0;
  /// What that move would have cost, as predicted.
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

/// Figures of a whole run, for comparing runs. Runtime::summarise_statistics() gives them to every
/// rank.
struct RunSummary {
  double makespan_seconds = 0;           ///< longest elapsed time of a rank
  double mean_busy_seconds = 0;          ///< of the workers, inside handlers
  double max_busy_seconds = 0;           ///< of the busiest worker
  double min_busy_seconds = 0;           ///< of the idlest worker
  double efficiency = 0;                 ///< mean busy / max busy
  double imbalance = 0;                  ///< max busy / mean busy - 1
  double overhead_seconds = 0;           ///< of all workers together
  std::uint64_t handlers_run = 0;        ///< in the whole job
  std::uint64_t messages_sent = 0;       ///< in the whole job
  std::uint64_t migrations = 0;          ///< number of moves of objects
  std::uint64_t migrations_refused = 0;  ///< moves that were refused
  std::uint64_t migrated_bytes = 0;      ///< of the moved objects, packed
  std::uint64_t refused_requests = 0;    ///< of all ranks, see RankStatistics
  double refused_gain_seconds = 0;       ///< of the best refused request
  double refused_cost_seconds = 0;       ///< of the same one
  Counters counters;                     ///< of all ranks' other parts, see RankPart
};
/// Computes the summary. Throws roam::Error if the list is empty, as it is on the ranks to which
/// Runtime::gather_statistics() gives nothing.
[[nodiscard]] RunSummary summarise(const std::vector<RankStatistics>& ranks);

namespace detail {

/// Sums over the statistics of some ranks, from which a RunSummary is computed.
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
  std::uint64_t refused_requests = 0;  ///< with the figures of the best of them
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
