// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/engine.hpp"
#include "roam/flow/backend.hpp"
#include "roam/flow/detail/block_pool.hpp"
#include "roam/flow/flow_options.hpp"
#include "roam/flow/task_record.hpp"

namespace roam::flow {

class Distribution;
class TaskRecorder;

/// @cond
/// A task that may have children: they are issued in its scope, and it is complete when they are.
class ParentTask : public TaskRecord {
 public:
  using TaskRecord::TaskRecord;
  ~ParentTask() override;
  void take_back() override;

  [[nodiscard]] Scope& inner() { return inner_; }
  /// What the task's children use of one of its accesses: a datum of their own scope, which refers
  /// to the same value. With a reference for the caller.
  [[nodiscard]] Datum* lend(Access& access, Datum::Make make);

 protected:
  ParentTask(Scope& parent, const char* name, const SourceLine& where)
      : TaskRecord(parent, name, where), inner_(parent.core(), this) {
    set_inner(true);
  }

 private:
  friend class Core;
  struct Lent {
    Access* access;
    Datum* datum;
  };
  Scope inner_;
  std::vector<Lent> lent_;
  FailureRef failure_;  // of its own body
};

/// Figures of one Flow since its beginning.
struct FlowCounts {
  std::uint64_t tasks = 0;          ///< issued
  std::uint64_t window_stalls = 0;  ///< times that one was issued into a full window
  std::uint64_t run_inside = 0;     ///< tasks run by who issues, meanwhile
  std::uint64_t overruns = 0;       ///< times that the window was exceeded, to go on at all
};

/// Resumed when no task is left; see Core::wait_for_all().
class AllDone : public exec::Suspension, public exec::WaitList::Entry {
 public:
  explicit AllDone(Core& core) : core_(core) {}
  [[nodiscard]] std::string waits_for() const override;
  [[nodiscard]] std::string who() const override;

 private:
  Core& core_;
};

/// @endcond

/// The tasks of one Flow on one rank: who waits for whom, and who is over. No lock but those of the
/// instances that a task uses. submit() by one thread per scope at a time, the rest by any.
class Core {
 public:
  /// @cond
  /// `backend`: nullptr: tasks run at once. `recorder`: nullptr: nobody wants to know.
  Core(exec::Engine& engine, Backend* backend, const FlowOptions& options,
       TaskRecorder* recorder = nullptr);
  /// @endcond
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core();

  /// The engine of this rank.
  [[nodiscard]] exec::Engine& engine() const { return engine_; }
  /// @cond
  [[nodiscard]] BlockPool& pool() { return pool_; }
  /// The same on all ranks: the Flows with collections are counted. 0: it has none yet.
  [[nodiscard]] std::uint32_t id() const { return id_; }
  void set_id(std::uint32_t id) { id_ = id; }
  /// Numbers of collections and of operations on them; by the main program.
  [[nodiscard]] std::uint64_t next_operation() { return ++operations_; }
  /// Where the indices of its collections are; by the main program.
  [[nodiscard]] const std::vector<std::shared_ptr<Distribution>>& distributions() const {
    return distributions_;
  }
  void add(std::shared_ptr<Distribution> one);
  /// Data that exist.
  void note_data(int difference) { data_.fetch_add(difference, std::memory_order_acq_rel); }
  /// The main program's Flow is gone.
  void leave() { is_left_.store(true, std::memory_order_release); }
  /// For another Flow, if nothing of the last one is left. (Not to be deleted: threads that have
  /// ended the last tasks may still look at who waits for the end.)
  [[nodiscard]] bool begin_again();
  [[nodiscard]] Scope& root() { return root_; }
  [[nodiscard]] bool runs_at_once() const { return backend_ == nullptr; }

  // --- scopes ---
  /// Takes the task over: it runs once all data are there. Checks first that this can be; throws
  /// Error, naming task, datum and lines, and deletes the task if it cannot. With a full window it
  /// runs other tasks before it returns.
  void submit(TaskRecord* task);
  /// The same for a task with something else to wait for: it also needs arrived().
  void submit_expected(TaskRecord* task);
  void arrived(TaskRecord& task) { unblock(task, 1); }
  /// The same for what the program awaits: true if it is there. Else `task`, which stays the
  /// caller's, is called when it is. It uses one datum, by Effect::read, and ends by release().
  [[nodiscard]] bool wait(TaskRecord& task);
  void release(TaskRecord& task);

  /// Tasks that have been issued and have not begun will not run; what they were to write has this
  /// failure. By the main program.
  void cancel(const SourceLine& where) ROAM_EXCLUDES(cancel_lock_);
  /// @endcond

  // --- back ends ---
  /// Runs a task that was pushed, on a worker between other things, or (`inside`) within what runs
  /// there.
  void run(TaskRecord& task, bool inside = false);
  /// @cond
  /// A task's body is over, and so is the time that it took.
  void body_ended(TaskRecord& task);

  // --- ends ---
  /// Tasks that have been issued and are not complete. 0: so it was at some moment during the call.
  [[nodiscard]] std::uint64_t unfinished() const;
  /// False: there are none. Else `done` is resumed when there are none any more. One at a time.
  [[nodiscard]] bool wait_for_all(AllDone& done);
  [[nodiscard]] FlowCounts counts() const;
  /// What tasks wait for that comes from other ranks, up to so many. When the rank is at rest.
  [[nodiscard]] std::vector<std::string> awaited_elsewhere(std::size_t most);
  /// @endcond

 private:
  // Of one slot of the engine; of the outside slot by several threads.
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> issued{0};
    std::atomic<std::uint64_t> completed{0};
    std::atomic<std::uint32_t> running{0};   // tasks in their bodies, that do not wait for room
    std::atomic<std::uint32_t> depth{0};     // tasks run inside what issues others
    std::atomic<std::int64_t> inside_ns{0};  // that those have taken, if that is measured
    bool is_shared = false;                  // the outside slot
    /// Relaxed; without a locked instruction where one thread alone writes.
    template <class T>
    T add(std::atomic<T>& counter, T difference) const {
      if (is_shared) return counter.fetch_add(difference, std::memory_order_relaxed) + difference;
      const T sum = counter.load(std::memory_order_relaxed) + difference;
      counter.store(sum, std::memory_order_relaxed);
      return sum;
    }
  };
  [[nodiscard]] Slot& slot() { return slots_[engine_.this_slot()]; }
  void admit(TaskRecord& task);
  static void refuse(TaskRecord& task);
  void run_at_once(TaskRecord& task);
  void unblock(TaskRecord& task, std::uint32_t blockers);
  void ready(TaskRecord& task);
  [[nodiscard]] static bool take_commuting(TaskRecord& task);
  void call(TaskRecord& task);
  void call_measured(Slot& slot, TaskRecord& task, bool inside);
  [[nodiscard]] bool is_cancelled(const TaskRecord& task) const {
    return task.cancellations_ != cancellations_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] FailureRef cancellation() const ROAM_EXCLUDES(cancel_lock_);
  [[nodiscard]] FailureRef failure_of_inputs(TaskRecord& task);
  [[nodiscard]] FailureRef look_closer(TaskRecord& task);
  [[nodiscard]] FailureRef failed(TaskRecord& task);
  static void pass_on(TaskRecord& task, const FailureRef& failure);
  void leave(TaskRecord& task, AccessList& let_in);
  TaskRecord* complete(TaskRecord& task);
  void let_in(AccessList& accesses);
  void note_completed();
  void look_at_window(Slot& slot, std::uint64_t issued, const Scope& scope);
  void wait_for_window(Slot& slot, const TaskRecord* issuer);
  void wait_for_window(Slot& slot, bool is_nested);
  [[nodiscard]] bool help(Slot& slot);
  [[nodiscard]] bool bodies_run() const;

  exec::Engine& engine_;
  Backend* const backend_;
  TaskRecorder* const recorder_;
  std::uint32_t id_ = 0;  // of the main program, as the next
  std::uint64_t operations_ = 0;
  std::vector<std::shared_ptr<Distribution>> distributions_;
  bool measures_ = false;  // one of them: before any task of it is issued
  const std::uint32_t window_;
  const std::uint32_t check_interval_;
  const std::uint32_t slot_count_;
  BlockPool pool_;
  Scope root_;
  const std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint16_t> cancellations_{0};  // written by the main program
  mutable core::SpinLock cancel_lock_;
  FailureRef cancellation_ ROAM_GUARDED_BY(cancel_lock_);  // the last
  std::atomic<bool> is_left_{false};
  std::atomic<int> data_{0};
  std::atomic<AllDone*> all_done_{nullptr};
  std::atomic<std::uint64_t> stalls_{0};
  std::atomic<std::uint64_t> run_inside_{0};
  std::atomic<std::uint64_t> overruns_{0};
};

}  // namespace roam::flow
