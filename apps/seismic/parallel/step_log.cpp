// SPDX-License-Identifier: Apache-2.0
#include "parallel/step_log.hpp"

#include <algorithm>
#include <cstdio>
#include <roam/offload/offload.hpp>

namespace seismic {
namespace {

void take_figures(StepFigures figures, std::uint32_t workers) {
  roam::Runtime& rt = roam::here();
  rt.local<StepLog>().note(figures, rt.size(), workers);
}

StepFigures own_figures(roam::Runtime& rt, std::int64_t step) {
  const roam::RankStatistics statistics = rt.statistics();
  StepFigures figures{.step = step, .rank = rt.rank().value(), .seconds = roam::seconds(rt.now())};
  for (const roam::WorkerStatistics& worker : statistics.workers) {
    figures.busy_seconds += worker.busy_seconds;
    figures.idle_seconds += worker.idle_seconds;
  }
  figures.spawned = roam::value_of(statistics.counters, "tasks_spawned");
  figures.offloaded = roam::value_of(statistics.counters, "tasks_offloaded");
  figures.guests = roam::value_of(statistics.counters, "guest_tasks");
  figures.objects = static_cast<double>(statistics.objects);
  return figures;
}

}  // namespace

void pass_step(std::int64_t step, std::int64_t report_steps) {
  roam::Runtime& rt = roam::here();
  roam::offload::next_step(rt);
  if (report_steps > 0 && step % report_steps == 0) {
    rt.send<&take_figures>(0, own_figures(rt, step), rt.workers());
  }
}

void StepLog::note(const StepFigures& figures, std::int32_t ranks, std::uint32_t workers) {
  const std::lock_guard guard(mutex_);
  std::vector<StepFigures>& of_step = steps_[figures.step];
  of_step.push_back(figures);
  if (of_step.size() < static_cast<std::size_t>(ranks)) return;
  std::sort(of_step.begin(), of_step.end(),
            [](const StepFigures& a, const StepFigures& b) { return a.rank < b.rank; });
  if (before_.empty()) before_.resize(of_step.size());
  double longest = 0.0, idle = 0.0, most_idle = 0.0, offloaded = 0.0;
  for (std::size_t r = 0; r < of_step.size(); ++r) {
    const double seconds = of_step[r].seconds - before_[r].seconds;
    const double waits = (of_step[r].idle_seconds - before_[r].idle_seconds) / workers;
    longest = std::max(longest, seconds);
    idle += waits / static_cast<double>(of_step.size());
    most_idle = std::max(most_idle, waits);
    offloaded += of_step[r].offloaded - before_[r].offloaded;
  }
  const auto steps = static_cast<double>(figures.step - before_.front().step);
  std::printf("step %lld: %.6f s a step, waits %.1f %% (at most %.1f %%), %.0f tasks offloaded\n",
              static_cast<long long>(figures.step), longest / steps, 100.0 * idle / longest,
              100.0 * most_idle / longest, offloaded);
  std::fflush(stdout);
  before_ = of_step;
}

std::vector<StepFigures> StepLog::all() const {
  const std::lock_guard guard(mutex_);
  std::vector<StepFigures> result;
  for (const auto& [step, of_step] : steps_) {
    result.insert(result.end(), of_step.begin(), of_step.end());
  }
  return result;
}

}  // namespace seismic
