// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/flow/task_record.hpp"

namespace roam::trace {
struct FlowTrace;
}  // namespace roam::trace

namespace roam::flow {

/// Records the first tasks of a rank for the trace: what each uses, and when it ran. Which tasks
/// waited for which follows from the order in which they were issued. There is no lock except for
/// new data; a task's entry is written by the thread that issues it, and later by the one that runs
/// it.
class TaskRecorder {
 public:
  /// Records `most` tasks and only counts later ones. 64 bytes for each, and 12 for each of four
  /// uses.
  explicit TaskRecorder(std::size_t most);

  /// Records that a task is issued; its accesses already have their instances. Called by the
  /// issuing thread, before other threads know the task.
  void issued(TaskRecord& task);
  /// Records that the body of the task begins, or begins again, on a slot of the engine.
  void began(const TaskRecord& task, std::uint32_t slot, Instant now);
  /// Records that the body of the task has ended.
  void ended(const TaskRecord& task, Instant now);
  /// Records that an issuing thread was held back by a full window from `begin` to `end`, in the
  /// body of `task`, or in the main program if it is nullptr.
  void stalled(const TaskRecord* task, Instant begin, Instant end) ROAM_EXCLUDES(lock_);

  /// Everything recorded, with the dependences. Any thread; tasks that are still running are
  /// included as far as known.
  [[nodiscard]] trace::FlowTrace trace() const ROAM_EXCLUDES(lock_);

 private:
  static constexpr std::int64_t never = Instant::min().count();
  struct Use {
    std::uint32_t datum = 0;  // number of the instance
    std::uint32_t part = 0;   // number in parts_; 0: the whole
    Effect effect = Effect::read;
  };
  struct Entry {
    std::atomic<bool> is_there{false};  // publishes the next five members
    std::uint8_t use_count = 0;
    std::uint32_t parent = 0;  // its parent's number; 0: none
    std::size_t first_use = 0;
    const char* name = nullptr;
    SourceLine where;
    ParcelTag parcel;
    // In nanoseconds. Written by the thread that runs it.
    std::atomic<std::uint32_t> slot{0};
    std::atomic<std::int64_t> begin{never};    // the first time
    std::atomic<std::int64_t> resumed{never};  // the last time
    std::atomic<std::int64_t> end{never};
    std::atomic<std::int64_t> busy{0};
  };
  struct Stall {
    Instant begin;
    Instant end;
  };
  [[nodiscard]] Entry* entry_of(const TaskRecord* task);
  [[nodiscard]] std::uint32_t number_of(Instance& instance) ROAM_EXCLUDES(lock_);
  [[nodiscard]] std::uint32_t number_of_part(const Access& access) ROAM_EXCLUDES(lock_);

  // Entry i is that of task number i + 1.
  std::vector<Entry> entries_;
  std::vector<Use> uses_;
  std::atomic<std::uint64_t> issued_{0};
  std::atomic<std::size_t> used_{0};
  mutable core::SpinLock lock_;
  std::vector<DatumLabel> data_ ROAM_GUARDED_BY(lock_);  // of instance number i + 1
  std::vector<PartUse> parts_ ROAM_GUARDED_BY(lock_);    // number i + 1
  std::vector<Stall> stalls_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
