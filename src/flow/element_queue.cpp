// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/element_queue.hpp"

#include <optional>
#include <utility>

#include "element_group.hpp"
#include "flow/flow_part.hpp"
#include "roam/flow/core.hpp"

namespace roam::flow {

bool ElementQueue::is_away() const {
  const std::optional<mobile::Place> place = rank_.objects().place_of(group_);
  return place && place->rank != rank_.rank();
}

void ElementQueue::push(TaskRecord& task) {
  if (!is_away() || !send(task)) keep(task);
}

// The call is issued under the lock: close() comes before it, or the object's end after it.
bool ElementQueue::send(TaskRecord& task) {
  ElementTasks& tasks = FlowPart::of(rank_).element_tasks();
  TravellingTask sent = tasks.begin(task);
  if (sent.number == 0) return false;
  const core::LockGuard guard(lock_);
  if (is_closed_) {
    tasks.take_back(sent.number);
    return false;
  }
  rank_.objects().send<&ElementGroup::run>(group_, CallOptions{}, am::ReplyTo{}, std::move(sent));
  return true;
}

void ElementQueue::keep(TaskRecord& task) {
  {
    const core::LockGuard guard(lock_);
    if (!is_closed_) {
      tasks_.push_back(&task);
      return rank_.objects().send<&ElementGroup::run_one>(group_, CallOptions{}, am::ReplyTo{});
    }
  }
  task.core().run_here(task);
}

TaskRecord* ElementQueue::pop() {
  const core::LockGuard guard(lock_);
  if (tasks_.empty()) return nullptr;
  TaskRecord* const task = tasks_.front();
  tasks_.pop_front();
  return task;
}

void ElementQueue::close() {
  const core::LockGuard guard(lock_);
  is_closed_ = true;
}

}  // namespace roam::flow
