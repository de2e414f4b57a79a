// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/object_id.hpp"

namespace roam {
class Runtime;
}  // namespace roam

namespace roam::flow {

class TaskRecord;

/// The ready tasks of one index, on the rank that has issued them, if a balancing policy may move
/// the index within a phase. For each of them the index's mobile object gets a call; wherever the
/// object is when the call runs, one task is taken from here and runs there. If the object is known
/// to be elsewhere, the task goes with the call. Any thread.
class ElementQueue {
 public:
  /// `group`: the index's mobile object.
  ElementQueue(Runtime& rank, ObjectId group) : rank_(rank), group_(group) {}
  ElementQueue(const ElementQueue&) = delete;
  ElementQueue& operator=(const ElementQueue&) = delete;

  [[nodiscard]] ObjectId group() const { return group_; }
  void push(TaskRecord& task) ROAM_EXCLUDES(lock_);
  /// Returns the oldest task; nullptr: there is none.
  [[nodiscard]] TaskRecord* pop() ROAM_EXCLUDES(lock_);
  /// Notes that the object need not keep a value any more (KeptValues).
  void drop(std::uint64_t number) ROAM_EXCLUDES(lock_);
  /// The numbers of those values since the last call.
  [[nodiscard]] std::vector<std::uint64_t> take_dropped() ROAM_EXCLUDES(lock_);

 private:
  [[nodiscard]] bool is_away() const;

  Runtime& rank_;
  const ObjectId group_;
  core::SpinLock lock_;
  std::deque<TaskRecord*> tasks_ ROAM_GUARDED_BY(lock_);
  std::vector<std::uint64_t> dropped_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
