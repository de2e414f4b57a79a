// SPDX-License-Identifier: Apache-2.0
// Tasks whose helper is lost: each waits on its own rank again, to be computed there or to be sent
// to another victim, and has one completion as always.
#include <algorithm>
#include <utility>
#include <vector>

#include "roam/offload/detail/home_tasks.hpp"

namespace roam::offload {

bool HomeTasks::is_lost(Rank rank) const {
  return !lost_.empty() && std::ranges::find(lost_, rank) != lost_.end();
}

// Its token leaves the table, so that no answer finds it.
bool HomeTasks::put_back_lost(HomeTask& task) {
  (void)table_.take(task.away_token_);
  note_back(task, trace::OffloadTrip::Outcome::lost);
  if (task.state_ == HomeTask::State::away) away_.remove(task);
  const bool is_wanted =
      task.state_ == HomeTask::State::away || task.state_ == HomeTask::State::recompute;
  if (!is_wanted) return false;
  ++counts_.lost;
  task.state_ = HomeTask::State::waiting;
  waiting_.push_back(task);
  return true;
}

// After put_back_lost(), without the lock.
void HomeTasks::settle_lost(HomeTask& task, bool is_wanted) {
  if (is_wanted) enqueue(task);
  task.release();  // the table's reference
  messenger_.end_counted_work();
}

void HomeTasks::on_lost(Rank helper) {
  std::vector<std::pair<HomeTask*, bool>> put_back;
  std::uint32_t tasks = 0;
  {
    const core::LockGuard guard(lock_);
    lost_.push_back(helper);
    victim(helper).quota = 0;
    count_quota_left();
    std::vector<HomeTask*> there;
    table_.for_each([&](HomeTask& task) {
      // One that is just being sent is taken back by the thread that does so and uses it.
      if (task.victim_ == helper && task.sending_token_ != task.away_token_) there.push_back(&task);
    });
    for (HomeTask* const task : there) {
      const bool is_wanted = put_back_lost(*task);
      put_back.emplace_back(task, is_wanted);
      if (is_wanted) ++tasks;
    }
  }
  engine_.preemption_point();
  if (on_tasks_lost_) on_tasks_lost_(helper, tasks);
  for (const auto& [task, is_wanted] : put_back) settle_lost(*task, is_wanted);
}

// The answer may come, and the task end, before this thread is done with it; and the helper may be
// lost meanwhile.
bool HomeTasks::ship_to_helper(HomeTask& task, Rank helper) {
  const Instant begin = engine_.now();
  const std::uint64_t token = task.away_token_;
  task.add_reference();
  bool is_sent = true;
  try {
    task.ship(helper,
              {.token = token, .seconds = task.expected_seconds_, .is_given = task.is_given_});
  } catch (const std::exception&) {
    take_back(task);  // tasks that cannot be sent are computed here
    is_sent = false;
  }
  engine_.preemption_point();
  bool is_lost_here = false;
  bool is_wanted = false;
  {
    const core::LockGuard guard(lock_);
    if (task.sending_token_ == token) task.sending_token_ = 0;
    if (table_.find(token) == &task) task.is_leaving_ = false;
    if (is_sent) counts_.ship_seconds += seconds(engine_.now() - begin);
    is_lost_here = is_lost(helper) && table_.find(token) == &task;
    if (is_lost_here) is_wanted = put_back_lost(task);
  }
  engine_.preemption_point();
  if (is_wanted && on_tasks_lost_) on_tasks_lost_(helper, 1);
  if (is_lost_here) settle_lost(task, is_wanted);
  task.release();
  return is_sent;
}

}  // namespace roam::offload
