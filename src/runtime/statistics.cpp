// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/statistics.hpp"

#include <algorithm>
#include <limits>

namespace roam {

RunSummary summarise(const std::vector<RankStatistics>& ranks) {
  RunSummary sum;
  sum.min_busy_seconds = std::numeric_limits<double>::max();
  std::size_t workers = 0;
  for (const RankStatistics& rank : ranks) {
    sum.makespan_seconds = std::max(sum.makespan_seconds, rank.elapsed_seconds);
    sum.messages_sent += rank.messages_sent;
    sum.migrations += rank.migrations_out;
    sum.migrated_bytes += rank.migrated_bytes_out;
    for (const WorkerStatistics& worker : rank.workers) {
      ++workers;
      sum.mean_busy_seconds += worker.busy_seconds;
      sum.max_busy_seconds = std::max(sum.max_busy_seconds, worker.busy_seconds);
      sum.min_busy_seconds = std::min(sum.min_busy_seconds, worker.busy_seconds);
      sum.overhead_seconds += worker.overhead_seconds;
      sum.handlers_run += worker.handlers_run;
    }
  }
  if (workers == 0) return {};
  sum.mean_busy_seconds /= static_cast<double>(workers);
  sum.efficiency = sum.max_busy_seconds > 0 ? sum.mean_busy_seconds / sum.max_busy_seconds : 1;
  sum.imbalance = sum.mean_busy_seconds > 0 ? sum.max_busy_seconds / sum.mean_busy_seconds - 1 : 0;
  return sum;
}

}  // namespace roam
