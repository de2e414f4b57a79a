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
  if (is_away()) {
    TravellingTask sent = FlowPart::of(rank_).element_tasks().begin(task, *this);
    if (sent.number == 0) return task.core().run_here(task);
    return rank_.objects().send<&ElementGroup::run>(group_, CallOptions{}, am::ReplyTo{},
                                                    std::move(sent));
  }
  {
    const core::LockGuard guard(lock_);
    tasks_.push_back(&task);
  }
  rank_.objects().send<&ElementGroup::run_one>(group_, CallOptions{}, am::ReplyTo{});
}

TaskRecord* ElementQueue::pop() {
  const core::LockGuard guard(lock_);
  if (tasks_.empty()) return nullptr;
  TaskRecord* const task = tasks_.front();
  tasks_.pop_front();
  return task;
}

void ElementQueue::drop(std::uint64_t number) {
  const core::LockGuard guard(lock_);
  dropped_.push_back(number);
}

std::vector<std::uint64_t> ElementQueue::take_dropped() {
  const core::LockGuard guard(lock_);
  return std::exchange(dropped_, {});
}

}  // namespace roam::flow
