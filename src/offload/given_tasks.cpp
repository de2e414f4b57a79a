// SPDX-License-Identifier: Apache-2.0
// Tasks that are given to a rank that asks for them within a step.
#include <algorithm>
#include <cmath>

#include "roam/offload/detail/home_tasks.hpp"

namespace roam::offload {

namespace {

// What a task and its result need for travelling is not known before the first, and varies: at
// least this.
constexpr double least_travel_seconds = 100e-6;
// So many waiting tasks are looked at one by one.
constexpr std::size_t looked_at = 64;

}  // namespace

// Of many tasks, the average says enough.
double HomeTasks::waiting_seconds() const {
  const auto tasks = static_cast<double>(waiting_.size());
  if (waiting_.size() > looked_at) return tasks * average_seconds();
  double sum = 0;
  for (const HomeTask* task = waiting_.back(); task != nullptr; task = task->previous_)
    sum += expected_seconds(*task);
  return sum;
}

bool HomeTasks::has_own() const {
  const core::LockGuard guard(lock_);
  return spawned_in_step_ + spawned_before_ > 0;
}

TaskQueue HomeTasks::queue() const {
  const core::LockGuard guard(lock_);
  return {.tasks = static_cast<std::uint32_t>(waiting_.size()),
          .seconds = waiting_seconds(),
          .running_seconds = running_.seconds_left(engine_.now()),
          .task_seconds = average_seconds()};
}

// Of a task and its result together. A rank that has got none yet is taken to be as far away as the
// nearest one that has.
double HomeTasks::travel_seconds(Rank to) const {
  if (const auto known = travel_seconds_.find(to.value()); known != travel_seconds_.end())
    return std::max(least_travel_seconds, known->second);
  double nearest = least_travel_seconds;
  for (auto known = travel_seconds_.begin(); known != travel_seconds_.end(); ++known) {
    const bool is_first = known == travel_seconds_.begin();
    nearest = is_first ? known->second : std::min(nearest, known->second);
  }
  return std::max(least_travel_seconds, nearest);
}

// The task by whose giving this rank and the other one together are done first; of several, the one
// that comes last here. nullptr: none will be back before this rank is done without giving any.
HomeTask* HomeTasks::task_to_give(const Wish& wish) const {
  const double tasks = static_cast<double>(waiting_.size());
  const double workers = engine_.workers();
  const double rounds = std::ceil(tasks / workers);
  const double done_here = wish.other_work_seconds + rounds * waiting_seconds() / tasks;
  const double travel = travel_seconds(wish.to);
  HomeTask* best = nullptr;
  double best_done = done_here;
  std::size_t looks = 0;
  for (HomeTask* task = waiting_.back(); task != nullptr && looks < looked_at; ++looks) {
    const double length = expected_seconds(*task);
    const double done =
        std::max(done_here - length / workers, wish.free_in_seconds + length + travel);
    if (done < best_done) {
      best = task;
      best_done = done;
    }
    task = task->previous_;
  }
  return best;
}

std::uint32_t HomeTasks::give(Wish wish) {
  std::uint32_t given = 0;
  while (given < wish.tasks) {
    HomeTask* task = nullptr;
    {
      const core::LockGuard guard(lock_);
      // What keeps the workers of this rank busy stays, whoever asks.
      if (waiting_.size() <= keeps_) return given;
      Victim& to = victim(wish.to);
      const bool is_allowed =
          to.given < on_request_ && to.outstanding < to.window && !to.is_late && !to.is_full;
      task = is_allowed ? task_to_give(wish) : nullptr;
      if (task == nullptr) return given;
      waiting_.remove(*task);
      task->is_given_ = true;
      note_away(*task, to, engine_.now());
      ++counts_.given;
      wish.free_in_seconds += double{task->expected_seconds_} / wish.workers;
    }
    engine_.preemption_point();
    if (!ship(*task, wish.to)) return given;
    ++given;
  }
  return given;
}

}  // namespace roam::offload
