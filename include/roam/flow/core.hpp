// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
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
class Graphs;
class KeptElsewhere;
class TaskRecorder;

/// @cond
/// A task that may have children: they are issued in its scope, and the task is complete when they
/// are.
class ParentTask : public TaskRecord {
 public:
  using TaskRecord::TaskRecord;
  ~ParentTask() override;
  void take_back() override;

  [[nodiscard]] Scope& inner() { return inner_; }
  /// A datum in the task's own scope through which its children use one of its accesses; it refers
  /// to the same value. Includes a reference for the caller.
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
  std::uint64_t tasks = 0;            ///< tasks issued
  std::uint64_t window_stalls = 0;    ///< times that a task was issued into a full window
  std::uint64_t run_inside = 0;       ///< tasks run meanwhile by the issuing thread
  std::uint64_t byte_stalls = 0;      ///< of these times, those because of bytes alone
  std::uint64_t overruns = 0;         ///< times that the window was exceeded to make progress
  std::uint64_t copies = 0;           ///< copies of data made for tasks that read
  std::uint64_t copied_bytes = 0;     ///< their sizes
  std::uint64_t copies_refused = 0;   ///< copies that the quota did not allow
  std::uint64_t replayed_tasks = 0;   ///< of these tasks, those of graphs that were replayed
  std::uint64_t graph_replays = 0;    ///< calls of graph() that replayed all their tasks
  std::uint64_t graph_fallbacks = 0;  ///< calls that tracked some, other than the first of a name
};

/// Copies of data for tasks that read, while others modify.
struct CopyCounts {
  std::int64_t quota = 0;             ///< bytes that they may take at a time
  std::atomic<std::int64_t> held{0};  ///< bytes that they take now
  std::atomic<std::uint64_t> copies{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> refused{0};  ///< copies not made because of the quota
};

/// The part of FlowCounts that concerns graphs.
struct GraphCounts {
  std::atomic<std::uint64_t> tasks{0};
  std::atomic<std::uint64_t> replays{0};
  std::atomic<std::uint64_t> fallbacks{0};
};

/// Is resumed when no task is left; see Core::wait_for_all().
class AllDone : public exec::Suspension, public exec::WaitList::Entry {
 public:
  explicit AllDone(Core& core) : core_(core) {}
  [[nodiscard]] std::string waits_for() const override;
  [[nodiscard]] std::string who() const override;

 private:
  Core& core_;
};

/// @endcond

/// The tasks of one Flow on one rank: which have to wait, and which are complete. There is no lock
/// but those of the instances that a task uses. submit() may be called by one thread per scope at a
/// time, the rest by any.
class Core {
 public:
  /// @cond
  /// `backend`: nullptr: tasks run at once. `recorder`: nullptr: nothing is recorded.
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
  /// The number of this Flow among those with collections, the same on all ranks; 0: it has no
  /// collection yet.
  [[nodiscard]] std::uint32_t id() const { return id_; }
  void set_id(std::uint32_t id) { id_ = id; }
  /// The next number of a collection or of an operation on one; called by the main program.
  [[nodiscard]] std::uint64_t next_operation() { return ++operations_; }
  /// The distributions of its collections' indices over ranks; used by the main program.
  [[nodiscard]] const std::vector<std::shared_ptr<Distribution>>& distributions() const {
    return distributions_;
  }
  void add(std::shared_ptr<Distribution> one);
  /// Changes the number of existing data by `difference`.
  void note_data(int difference) { data_.fetch_add(difference, std::memory_order_acq_rel); }
  /// Reports that the main program's Flow has been destroyed.
  void leave() { is_left_.store(true, std::memory_order_release); }
  /// Whether nothing is left of its Flow.
  [[nodiscard]] bool is_over() const;
  /// Makes the Core ready for another Flow, if it is over. (It must not be deleted: threads that
  /// have ended the last tasks may still look for coroutines that wait for the end.)
  void begin_again();
  [[nodiscard]] Scope& root() { return root_; }
  [[nodiscard]] bool runs_at_once() const { return backend_ == nullptr; }
  /// True if the back end orders tasks that are issued in this scope.
  [[nodiscard]] bool is_ordered(const Scope& scope) const {
    return ordering_ != nullptr && (scope.task() == nullptr || ordering_->orders_children());
  }
  /// What graph() has recorded; by the main program.
  [[nodiscard]] Graphs& graphs();
  [[nodiscard]] GraphCounts& graph_counts() { return graph_counts_; }

  // --- memory that will be free when the unfinished tasks are complete; any thread ---
  void hold(std::int64_t bytes);
  [[nodiscard]] std::uint64_t held_bytes() const;
  [[nodiscard]] TypeSizes& sizes() { return sizes_; }
  [[nodiscard]] CopyCounts& copy_counts() { return copy_counts_; }
  /// The expected size of a value of this type that a task is to write.
  [[nodiscard]] std::int64_t expected_bytes(const char* type);

  // --- scopes ---
  /// Takes ownership of the task, which runs once all its data are there. If that is impossible,
  /// deletes the task and throws Error that names task, datum and lines. With a full window it runs
  /// other tasks before it returns.
  void submit(TaskRecord* task);
  /// Like submit(), for a task that also waits for a call of arrived().
  void submit_expected(TaskRecord* task);
  void arrived(TaskRecord& task) { unblock(task, 1); }
  /// Does what both do for a task that belongs to no graph, or to one that is not replayed.
  void track(TaskRecord& task, bool is_expected);
  /// Issues all tasks of a graph, in order.
  void launch(Replay& replay, std::span<TaskRecord* const> tasks);
  /// Waits for a value that the program awaits. Returns true if it is there; otherwise `task`,
  /// which stays the caller's, is called when it is. It uses one datum, by Effect::read, and ends
  /// by release().
  [[nodiscard]] bool wait(TaskRecord& task);
  void release(TaskRecord& task);

  /// Cancels tasks that have been issued and have not begun; the data that they were to write get
  /// this failure. Called by the main program.
  void cancel(const SourceLine& where) ROAM_EXCLUDES(cancel_lock_);
  /// @endcond

  // --- back ends ---
  /// Runs a task that was pushed, as an item of a worker or (`inside`) within the item that runs
  /// there.
  void run(TaskRecord& task, bool inside = false);
  /// Reports that a task that was submitted to an Ordering may use its data; runs it, unless it
  /// also waits for something else, which then pushes it. Returns false in that case.
  bool admitted(TaskRecord& task);
  /// @cond
  /// Reports that a task's body has ended, and the time that it took has passed.
  void body_ended(TaskRecord& task);

  // --- tasks whose bodies run on other ranks ---
  /// Has a ready task run on this rank that could run elsewhere.
  void run_here(TaskRecord& task);
  /// Lets a ready task wait for so many calls of arrived().
  static void hold_back(TaskRecord& task, std::uint32_t calls) {
    task.blockers_.store(calls, std::memory_order_relaxed);
  }
  /// Says where values are that the mobile objects of indices keep. Called by the main program.
  void set_kept(KeptElsewhere& kept) { kept_.store(&kept, std::memory_order_release); }
  /// Reports that an instance is destroyed whose value is kept.
  void forget_kept(Instance& instance);
  /// Prepares a ready task in place of run(), which has to be called if this returns false: the
  /// task has been cancelled, or what it needs has failed.
  [[nodiscard]] bool begin_elsewhere(TaskRecord& task);
  /// Ends a task whose body has run on another rank, with what it has written; `failure`: the text
  /// of the exception that it has thrown, or nullptr.
  void ended_elsewhere(TaskRecord& task, const std::string* failure, core::Unpacker& outputs,
                       TravelNotes& notes);

  // --- ends ---
  /// Number of tasks that have been issued and are not complete. 0 means that there was a moment
  /// during the call with none.
  [[nodiscard]] std::uint64_t unfinished() const;
  /// Returns false if there are none. Otherwise `done` is resumed when none is left. One at a time.
  [[nodiscard]] bool wait_for_all(AllDone& done);
  [[nodiscard]] FlowCounts counts() const;
  /// Describes up to `most` things from other ranks that tasks wait for. Called when the rank is at
  /// rest.
  [[nodiscard]] std::vector<std::string> awaited_elsewhere(std::size_t most);
  /// Describes what up to `most` tasks wait for, and which tasks are to write it. Called when the
  /// rank is at rest.
  [[nodiscard]] std::vector<std::string> waits_in_words(std::size_t most);
  /// The part of such a description behind "waits for"; empty: it is not known.
  [[nodiscard]] std::string wait_in_words(TaskRecord& task);
  /// @endcond

 private:
  // Counters of one slot of the engine; several threads use the outside slot.
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> issued{0};
    std::atomic<std::uint64_t> completed{0};
    std::atomic<std::uint64_t> look_at{0};    // `issued` at which the window is checked
    std::atomic<std::int64_t> held{0};        // bytes; others may be released by other slots
    std::atomic<std::int64_t> held_since{0};  // since the window was checked
    // Tasks in their bodies, unless held back by a full window.
    std::atomic<std::uint32_t> running{0};
    std::atomic<std::uint32_t> depth{0};     // nesting depth of tasks run by issuing tasks
    std::atomic<std::int64_t> inside_ns{0};  // time that those have taken, if it is measured
    bool is_shared = false;                  // the outside slot
    /// Relaxed; without a locked instruction if only one thread writes.
    template <class T>
    T add(std::atomic<T>& counter, T difference) const {
      if (is_shared) return counter.fetch_add(difference, std::memory_order_relaxed) + difference;
      const T sum = counter.load(std::memory_order_relaxed) + difference;
      counter.store(sum, std::memory_order_relaxed);
      return sum;
    }
  };
  friend class Replay;
  class Waits;
  [[nodiscard]] Slot& slot() { return slots_[engine_.this_slot()]; }
  void admit(TaskRecord& task);
  void note_cancellations(TaskRecord& task) const;
  void order(TaskRecord& task, bool is_held);
  void end_hold(TaskRecord& task) {
    if (task.is_ordered_ && task.belonging_.hold != nullptr) ordering_->end(task);
  }
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
  [[nodiscard]] FailureRef obstacle_of(TaskRecord& task);
  [[nodiscard]] FailureRef failed(TaskRecord& task);
  static void fail(TaskRecord& task, FailureRef failure);
  static void pass_on(TaskRecord& task, const FailureRef& failure);
  void yield_commuting(TaskRecord& task);
  void leave(TaskRecord& task, AccessList& let_in);
  TaskRecord* complete(TaskRecord& task);
  void let_in(AccessList& accesses);
  void let_in_specially(Access& access, AccessList& accesses);
  void note_completed();
  [[nodiscard]] bool is_reached(std::uint64_t tasks, std::uint64_t bytes) const {
    return unfinished() >= tasks ||
           (has_held_.load(std::memory_order_relaxed) && held_bytes() >= bytes);
  }
  [[nodiscard]] bool is_full() const { return is_reached(window_, window_bytes_); }
  void look_at_window(Slot& slot, std::uint64_t issued, const Scope& scope);
  void wait_for_window(Slot& slot, const TaskRecord* issuer);
  void wait_for_window(Slot& slot, bool is_nested);
  [[nodiscard]] bool help(Slot& slot);
  [[nodiscard]] bool bodies_run() const;

  exec::Engine& engine_;
  Backend* const backend_;
  Ordering* const ordering_;  // the back end's; nullptr: tasks are tracked here
  TaskRecorder* const recorder_;
  std::uint32_t id_ = 0;  // of the main program, as the next
  std::uint64_t operations_ = 0;
  std::vector<std::shared_ptr<Distribution>> distributions_;
  // True if one of them does. Set before tasks of that one are issued; those of others may run.
  std::atomic<bool> measures_{false};
  std::atomic<KeptElsewhere*> kept_{nullptr};  // nullptr: no index moves within a phase
  const std::uint32_t window_;
  const std::uint64_t window_bytes_;
  const std::uint32_t check_interval_;
  const std::int64_t check_bytes_;
  const std::uint32_t slot_count_;
  BlockPool pool_;
  Scope root_;
  std::unique_ptr<Graphs> graphs_;  // if there are any
  const std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint16_t> cancellations_{0};  // written by the main program
  mutable core::SpinLock cancel_lock_;
  FailureRef cancellation_ ROAM_GUARDED_BY(cancel_lock_);  // the last one
  std::atomic<bool> is_left_{false};
  std::atomic<int> data_{0};
  std::atomic<AllDone*> all_done_{nullptr};
  TypeSizes sizes_;
  CopyCounts copy_counts_;
  std::atomic<bool> has_held_{false};  // any bytes, ever
  std::atomic<std::uint64_t> stalls_{0};
  std::atomic<std::uint64_t> byte_stalls_{0};
  std::atomic<std::uint64_t> run_inside_{0};
  std::atomic<std::uint64_t> overruns_{0};
  GraphCounts graph_counts_;
};

}  // namespace roam::flow
