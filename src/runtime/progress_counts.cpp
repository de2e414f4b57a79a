// SPDX-License-Identifier: Apache-2.0
#include "progress_counts.hpp"

#include <algorithm>

#include "roam/runtime/runtime.hpp"

namespace roam {

void ProgressCounts::add(const ProgressCounts& other) {
  handlers_run += other.handlers_run;
  pending += other.pending;
  migrations += other.migrations;
  busy_seconds += other.busy_seconds;
  workers += other.workers;
  refused_requests += other.refused_requests;
  if (other.refused_gain_seconds > refused_gain_seconds) {
    refused_gain_seconds = other.refused_gain_seconds;
    refused_cost_seconds = other.refused_cost_seconds;
  }
}

ProgressCounts counts_of(Runtime& runtime) {
  ProgressCounts counts;
  const RankStatistics statistics = runtime.statistics();
  for (const WorkerStatistics& worker : statistics.workers) {
    counts.handlers_run += worker.handlers_run;
    counts.busy_seconds += worker.busy_seconds;
    ++counts.workers;
  }
  counts.pending = runtime.objects().pending_calls();
  counts.migrations = statistics.migrations_out;
  counts.refused_requests = statistics.refused_requests;
  counts.refused_gain_seconds = statistics.refused_gain_seconds;
  counts.refused_cost_seconds = statistics.refused_cost_seconds;
  return counts;
}

trace::ProgressFigures ProgressOfAll::figures(const ProgressCounts& all, Instant now) {
  trace::ProgressFigures figures;
  figures.elapsed = now;
  figures.handlers_run = all.handlers_run;
  figures.pending = all.pending;
  figures.migrations = all.migrations;
  figures.refused_requests = all.refused_requests;
  figures.refused_gain_seconds = all.refused_gain_seconds;
  figures.refused_cost_seconds = all.refused_cost_seconds;
  const double available = static_cast<double>(all.workers) * seconds(now - last_shown_);
  if (available > 0)
    figures.busy_fraction =
        std::clamp((all.busy_seconds - last_busy_seconds_) / available, 0.0, 1.0);
  last_busy_seconds_ = all.busy_seconds;
  last_shown_ = now;
  return figures;
}

}  // namespace roam
