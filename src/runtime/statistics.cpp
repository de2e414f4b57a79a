// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/statistics.hpp"

#include <algorithm>

#include "roam/core/error.hpp"

namespace roam {

namespace detail {

RunTotals totals_of(const RankStatistics& rank) {
  RunTotals totals;
  totals.workers = rank.workers.size();
  totals.elapsed_seconds = rank.elapsed_seconds;
  totals.messages_sent = rank.messages_sent;
  totals.migrations = rank.migrations_out;
  totals.migrations_refused = rank.migrations_refused;
  totals.migrated_bytes = rank.migrated_bytes_out;
  totals.refused_requests = rank.refused_requests;
  totals.refused_gain_seconds = rank.refused_gain_seconds;
  totals.refused_cost_seconds = rank.refused_cost_seconds;
  totals.counters = rank.counters;
  for (const WorkerStatistics& worker : rank.workers) {
    const bool is_first = &worker == rank.workers.data();
    totals.busy_seconds += worker.busy_seconds;
    totals.max_busy_seconds = std::max(totals.max_busy_seconds, worker.busy_seconds);
    totals.min_busy_seconds =
        is_first ? worker.busy_seconds : std::min(totals.min_busy_seconds, worker.busy_seconds);
    totals.overhead_seconds += worker.overhead_seconds;
    totals.handlers_run += worker.handlers_run;
  }
  return totals;
}

RunTotals join_totals(const RunTotals& a, const RunTotals& b) {
  RunTotals both;
  both.workers = a.workers + b.workers;
  both.elapsed_seconds = std::max(a.elapsed_seconds, b.elapsed_seconds);
  both.busy_seconds = a.busy_seconds + b.busy_seconds;
  both.max_busy_seconds = std::max(a.max_busy_seconds, b.max_busy_seconds);
  // A side without workers has no least time.
  both.min_busy_seconds = a.workers == 0   ? b.min_busy_seconds
                          : b.workers == 0 ? a.min_busy_seconds
                                           : std::min(a.min_busy_seconds, b.min_busy_seconds);
  both.overhead_seconds = a.overhead_seconds + b.overhead_seconds;
  both.handlers_run = a.handlers_run + b.handlers_run;
  both.messages_sent = a.messages_sent + b.messages_sent;
  both.migrations = a.migrations + b.migrations;
  both.migrations_refused = a.migrations_refused + b.migrations_refused;
  both.migrated_bytes = a.migrated_bytes + b.migrated_bytes;
  both.refused_requests = a.refused_requests + b.refused_requests;
  const RunTotals& best = a.refused_gain_seconds >= b.refused_gain_seconds ? a : b;
  both.refused_gain_seconds = best.refused_gain_seconds;
  both.refused_cost_seconds = best.refused_cost_seconds;
  both.counters = a.counters;
  join_counters(both.counters, b.counters);
  return both;
}

RunSummary summary_of(const RunTotals& totals) {
  RunSummary summary;
  summary.makespan_seconds = totals.elapsed_seconds;
  summary.messages_sent = totals.messages_sent;
  summary.migrations = totals.migrations;
  summary.migrations_refused = totals.migrations_refused;
  summary.migrated_bytes = totals.migrated_bytes;
  summary.refused_requests = totals.refused_requests;
  summary.refused_gain_seconds = totals.refused_gain_seconds;
  summary.refused_cost_seconds = totals.refused_cost_seconds;
  summary.counters = totals.counters;
  if (totals.workers == 0) return summary;
  const double mean = totals.busy_seconds / static_cast<double>(totals.workers);
  summary.mean_busy_seconds = mean;
  summary.max_busy_seconds = totals.max_busy_seconds;
  summary.min_busy_seconds = totals.min_busy_seconds;
  summary.overhead_seconds = totals.overhead_seconds;
  summary.handlers_run = totals.handlers_run;
  summary.efficiency = totals.max_busy_seconds > 0 ? mean / totals.max_busy_seconds : 1;
  summary.imbalance = mean > 0 ? totals.max_busy_seconds / mean - 1 : 0;
  return summary;
}

}  // namespace detail

RunSummary summarise(const std::vector<RankStatistics>& ranks) {
  if (ranks.empty()) {
    throw Error(
        "roam::summarise() was given the statistics of no rank; gather_statistics() gives them to "
        "one rank alone, co_await summarise_statistics() gives the summary to every rank");
  }
  detail::RunTotals totals;
  for (const RankStatistics& rank : ranks) {
    totals = detail::join_totals(totals, detail::totals_of(rank));
  }
  return detail::summary_of(totals);
}

}  // namespace roam
