// SPDX-License-Identifier: Apache-2.0
#include "simulated_progress.hpp"

#include "roam/runtime/runtime.hpp"

namespace roam {

namespace {
// The fraction of a run's time spent on looking is at most one in this many.
constexpr int most_share = 20;
}  // namespace

void SimulatedProgress::look() {
  const Instant now = real_.now();
  if (now < next_ || !line_.is_due(now)) return;
  line_.show(now, sum());
  const Instant after = real_.now();
  next_ = after + most_share * (after - now);
}

void SimulatedProgress::finish() { line_.finish(sum()); }

trace::ProgressFigures SimulatedProgress::sum() {
  ProgressCounts all;
  for (const auto& rank : ranks_) all.add(counts_of(*rank));
  return of_all_.figures(all, clock_.now());
}

}  // namespace roam
