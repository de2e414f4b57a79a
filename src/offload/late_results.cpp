// SPDX-License-Identifier: Apache-2.0
// Urgent local compute (definition 7): a rank that has nothing else to do computes its own tasks
// itself if their victim is late.
#include <algorithm>
#include <vector>

#include "roam/offload/detail/home_tasks.hpp"

namespace roam::offload {

namespace {

// A victim is late when it has been silent for this many intervals between two of its results, or
// when its remaining results will take longer than that.
constexpr double patience_intervals = 3;
// The least such time: anything below is jitter of the network and the operating system.
constexpr Duration least_patience = std::chrono::microseconds(100);

}  // namespace

Duration HomeTasks::patience() const {
  return std::max(least_patience, from_seconds(2 * task_seconds_));
}

void HomeTasks::look_for_late_results_at(Instant when) {
  if (is_looking_) return;
  is_looking_ = true;
  engine_.call_at(when, [this] { look_for_late_results(); });
}

// A long task that is computed there is no silence.
double HomeTasks::longest_stated_at(const Victim& victim) const {
  double longest = 0;
  if (!stated_costs_.are_used()) return longest;
  for (const HomeTask* task = away_.front(); task != nullptr; task = task->next_task_) {
    if (task->victim_ == victim.rank)
      longest = std::max(longest, stated_costs_.seconds_of(task->stated_cost_));
  }
  return longest;
}

bool HomeTasks::is_late(const Victim& victim, Instant now) const {
  if (victim.outstanding == 0) return false;
  const double usual =
      std::max({victim.interval_seconds, average_seconds(), longest_stated_at(victim)});
  const Duration limit = std::max(least_patience, from_seconds(patience_intervals * usual));
  const double outstanding = static_cast<double>(victim.outstanding) * victim.interval_seconds;
  return now - victim.last_sign > limit || from_seconds(outstanding) > limit;
}

// Called inside progress. Only a rank whose workers have nothing to do is delayed by tasks that are
// away (definition 5), and only such a rank has time to compute them.
void HomeTasks::look_for_late_results() {
  std::vector<HomeTask*> to_queue;
  {
    const core::LockGuard guard(lock_);
    is_looking_ = false;
    if (away_.size() == 0) return;
    const Instant now = engine_.now();
    if (engine_.unfinished() < engine_.workers()) {
      for (Victim& one : victims_) {
        if (is_late(one, now)) recompute_tasks_at(one, to_queue);
      }
    }
    if (away_.size() > 0) look_for_late_results_at(now + patience());
  }
  engine_.preemption_point();
  for (HomeTask* task : to_queue) {
    enqueue(*task);
    task->release();
  }
}

// Computes the newest task first, since the victim begins with the oldest. What the victim returns
// before this rank has reached it is used.
void HomeTasks::recompute_tasks_at(Victim& victim, std::vector<HomeTask*>& to_queue) {
  if (!victim.is_late) note_emergency(victim, EmergencyReason::late_results);
  // No further emergency of this victim counts until it has returned something (section 5), and
  // nothing more is sent to it.
  victim.is_late = true;
  const std::size_t first = to_queue.size();
  HomeTask* task = away_.front();
  while (task != nullptr) {
    HomeTask* const next = task->next_task_;
    // What is being packed stays as it is until it has been sent.
    if (task->victim_ == victim.rank && !task->is_leaving_) {
      away_.remove(*task);
      task->state_ = HomeTask::State::recompute;
      task->add_reference();
      to_queue.push_back(task);
    }
    task = next;
  }
  std::reverse(to_queue.begin() + static_cast<std::ptrdiff_t>(first), to_queue.end());
}

}  // namespace roam::offload
