// SPDX-License-Identifier: Apache-2.0
// What the tasks of a rank are expected to take: by their stated costs, by the tasks at the same
// places of the last step, or on average.
#include <cmath>

#include "roam/offload/detail/home_tasks.hpp"

namespace roam::offload {

void HomeTasks::note_task_seconds(const HomeTask& task, double seconds) {
  // Another rank may be slower or faster: its times count until there are some of this rank.
  const bool is_own = task.state_ == HomeTask::State::running;
  if (is_own || counts_.computed == 0) task_seconds_ = averaged(task_seconds_, seconds);
  if (task.stated_cost_.is_stated()) {
    const bool is_known = stated_costs_.seconds_of(task.stated_cost_) > 0;
    if (is_own || !is_known) stated_costs_.note_measured(task.stated_cost_, seconds);
    return;
  }
  if (task.place_ >= most_places) return;
  if (const double excess = excess_by_place(task); excess != 0) {
    place_error_ = averaged(place_error_, std::abs(seconds - task_seconds_ - excess));
    average_error_ = averaged(average_error_, std::abs(seconds - task_seconds_));
  }
  if (task.place_ >= seconds_by_place_.size()) seconds_by_place_.resize(task.place_ + 1, -1.0F);
  seconds_by_place_[task.place_] = static_cast<float>(seconds);
}

// A step's tasks are much like those of the one before, in the order in which they are spawned.
double HomeTasks::excess_by_place(const HomeTask& task) const {
  if (task.place_ >= seconds_by_place_.size()) return 0;
  const double before = seconds_by_place_[task.place_];
  return before < 0 ? 0 : before - task_seconds_;
}

double HomeTasks::excess_seconds_of(const HomeTask& task) const {
  const double stated = stated_costs_.seconds_of(task.stated_cost_);
  return stated > 0 ? stated - average_seconds() : excess_by_place(task);
}

double HomeTasks::average_seconds() const {
  const double stated = stated_costs_.mean_seconds();
  return stated > 0 ? stated : task_seconds_;
}

double HomeTasks::quota_part_of(const HomeTask& task) const {
  const double stated = stated_costs_.seconds_of(task.stated_cost_);
  const double average = average_seconds();
  return stated > 0 && average > 0 ? stated / average : 1;
}

double HomeTasks::expected_seconds(const HomeTask& task) const {
  if (const double stated = stated_costs_.seconds_of(task.stated_cost_); stated > 0) return stated;
  const bool is_known_by_place = place_error_ < average_error_;
  return task_seconds_ + (is_known_by_place ? excess_by_place(task) : 0);
}

}  // namespace roam::offload
