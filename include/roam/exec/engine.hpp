// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "roam/core/detail/clock.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/detail/thread_tag.hpp"
#include "roam/core/random.hpp"
#include "roam/exec/context.hpp"
#include "roam/exec/detail/interleaver.hpp"
#include "roam/exec/detail/services.hpp"
#include "roam/exec/detail/spare_blocks.hpp"
#include "roam/exec/detail/suspension.hpp"
#include "roam/exec/detail/timers.hpp"
#include "roam/exec/detail/worker_stats.hpp"
#include "roam/exec/detail/working_set.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/exec/scheduler.hpp"
#include "roam/exec/work_options.hpp"

namespace roam::exec {

/// @cond
struct EngineOptions {
  WorkerIndex workers = 1;
  std::uint64_t seed = 1;
  ProgressMode progress = ProgressMode::shared;
  /// Simulation only: the virtual time that a handler costs beyond what it computes.
  Duration handler_overhead{0};
  /// Simulation only: computing takes its stated time / speed, times a seeded factor in [1, 1 +
  /// noise).
  double speed = 1;
  double noise = 0;
  /// Simulation only: the processor time that a run takes on this machine is added, times this
  /// factor; 0: it is not.
  double measured_time_factor = 0;
};

/// Something that the engine calls regularly: the transport, the balancer. Called under the
/// progress lock, by one thread at a time.
class Poller {
 public:
  virtual ~Poller() = default;
  /// Does what is due and returns how much was done (0: nothing).
  virtual std::size_t poll(Instant now) = 0;
  /// When it has to be called even if nothing happens; `never` if it need not be.
  [[nodiscard]] virtual Instant next_due() const { return never; }
  /// Adds the memory that it uses in nearly every turn of the engine, and that of what it polls.
  virtual void add_to(WorkingSet& /*set*/) const {}
  /// Called while other engines have their turns, soon before this one has its own, in steps from 0
  /// to `last_look`: prefetches memory that the turn will use and that is not always the same, such
  /// as the messages that arrive in it. Each step reads what the one before it has prefetched.
  /// Changes nothing.
  virtual void look_ahead(int /*step*/) const {}
  static constexpr int last_look = 5;
};

/// Observes runs of handlers, for the event trace. Called by the running worker.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void ran(const Context& context, Instant begin, Instant end) = 0;
};

/// A listener that is told when work arrives, so that a driver can wake a sleeping worker. Any
/// thread; must not block.
class Waker {
 public:
  virtual ~Waker() = default;
  virtual void wake() = 0;
};

/// What a step did. `until` says for a worker that ran something when it is free again (in virtual
/// time), and for an idle one when to look again. `at` is a time during the step, so that drivers
/// need not read the clock again.
struct StepResult {
  enum class Kind : std::uint8_t { ran, idle, stopped } kind = Kind::idle;
  Instant until = never;
  Instant at{0};
};
/// @endcond

/// Runs the ready work of one rank. Passive: it owns no thread, never sleeps and takes its time
/// from a clock; drivers turn it, one step of a worker after the other.
class Engine {
 public:
  /// @cond
  Engine(const EngineOptions& options, core::Clock& clock);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  // --- set-up, before the first step ---
  void set_scheduler(std::unique_ptr<Scheduler> scheduler);
  void add_poller(Poller* poller);
  /// Adds a poller that has nothing to do while messages arrive: it is called only in turns in
  /// which no other poller did anything.
  void add_idle_poller(Poller* poller);
  void set_waker(Waker* waker) { waker_ = waker; }
  void set_observer(RunObserver* observer) { observer_ = observer; }
  /// Simulation only.
  void set_interleaver(Interleaver* interleaver) { interleaver_ = interleaver; }
  [[nodiscard]] bool is_observed() const { return observer_ != nullptr; }
  /// Receives failures of the program's code that nobody awaits (promise R2). Any thread.
  void set_error_handler(std::function<void(const std::string&)> handler);
  /// Sets a handler for exceptions that have left the runtime's own code, after which this rank
  /// cannot go on: memory that is not available, a network that gave up. It is called while the
  /// exception is the current one, and is told what was being done. Any thread. Without it, such
  /// exceptions go to the error handler.
  void set_failure_handler(std::function<void(const char*)> handler);

  // --- drivers ---
  /// Some turns of one worker (in virtual time: one). Each of them makes progress if that is due
  /// and runs one ready item. If there is no work, the result says how long the worker may rest.
  /// Never blocks.
  StepResult step(WorkerIndex worker);
  /// Makes progress without running items, as the communication slot. Returns the amount of work
  /// done; also 0 if another thread is making progress.
  std::size_t progress();
  /// Makes step() answer `stopped` from now on. Any thread.
  void stop();
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  [[nodiscard]] Instant last_progress() const {
    return Instant(last_progress_.load(std::memory_order_relaxed));
  }
  /// Makes progress from within a handler that cannot go on without it (flow control, A3); runs no
  /// ready items. Any thread.
  std::size_t help_progress();
  /// Runs other ready items, at least one and for about this long, inside the handler that runs on
  /// this worker and cannot go on (flow control, A3). False if there is nothing that it may run:
  /// there is no ready item, handlers are nested too deeply already, time is virtual, or this is no
  /// worker. The handler's own object is not touched: its items are not ready. The time does not
  /// count as the handler's.
  bool help_run(Duration duration);
  /// How deeply help_run() is nested on this thread. At deepest_nesting it runs nothing more.
  [[nodiscard]] std::uint32_t nesting() const { return slots_[this_slot()]->nesting; }
  static constexpr std::uint32_t deepest_nesting = 4;
  /// True if this thread is making progress (inside a timer's action or a poller): nobody else can
  /// make progress until it has finished.
  [[nodiscard]] bool is_progressing() const {
    return progress_thread_.load(std::memory_order_relaxed) == core::this_thread_tag();
  }
  /// When the next timer or poller is due.
  [[nodiscard]] Instant next_due() const;

  /// The memory that nearly every turn of the first worker uses, as far as it has been allocated by
  /// now.
  [[nodiscard]] WorkingSet working_set() const;
  /// Adds memory that nearly every turn uses, too, of a part of the rank that outlives the engine's
  /// last turn. Before the first step.
  void add_used(const void* begin, std::size_t bytes);
  /// See Poller::look_ahead().
  void look_ahead(int step) const {
    for (const Poller* poller : pollers_) poller->look_ahead(step);
    for (const Poller* poller : idle_pollers_) poller->look_ahead(step);
  }

  /// Drops what is still queued, after the last step.
  void drop_queued();
  /// @endcond

  // --- rooms above ---
  /// Makes an item ready. Any thread. In virtual time, an item pushed after compute() becomes ready
  /// when the handler that pushed it ends.
  void push(ReadyItem* item);
  /// @cond
  /// Makes work that becomes ready with less than high priority wait, in its order, until
  /// release_work(). For a rank that is about to go on together with others and must not be kept
  /// busy by the first messages from them. Any thread.
  void hold_work();
  void release_work();
  /// Makes an item the next to run on this worker, if this thread belongs to an idle worker that
  /// looks for work and has found none yet; returns true then. Else does nothing and returns false,
  /// and the caller has to push(). For pollers, inside poll().
  [[nodiscard]] bool run_next(ReadyItem* item) {
    return looking_ != nullptr && run_next(*looking_, item);
  }
  /// Makes the item that runs on this worker ready again, as the next that this worker runs: after
  /// a look at the network, if that is due. Real time only.
  void push_next(ReadyItem* item);
  /// @endcond

  /// Calls `action` under the progress lock at or after `when`. Any thread.
  void call_at(Instant when, std::function<void()> action);
  /// Occupies this worker for `duration` (virtual: advances time, by the options' speed and noise;
  /// real: spins on the thread's CPU clock).
  void compute(Duration duration);
  /// @cond
  /// Where the run of an item takes the processor time that is measured (measured_time_factor),
  /// adds at once what it has taken so far; otherwise does nothing. now() then includes it.
  void add_measured_time() {
    if (options_.measured_time_factor != 0) [[unlikely]]
      charge_measured_time();
  }
  /// True inside a simulated handler after compute(): its further actions happen later than what
  /// other workers have seen so far. Their effects on this rank must then travel through the
  /// network or push(), and never touch shared state at once.
  [[nodiscard]] bool is_ahead_of_time() const {
    return virtual_clock_ != nullptr && virtual_clock_->offset() > Duration::zero();
  }
  /// A point at which other threads might act: a simulation may let them. Placed between two
  /// effects on shared state, where no lock is held; costs a load and a branch.
  void preemption_point() {
    if (interleaver_ != nullptr) [[unlikely]]
      preempt();
  }
  /// Reports an exception that has escaped from the program's code. `report` says what and where.
  void report_error(const std::string& report);
  /// Reports the current exception, which has left the runtime's own code during `what`.
  void report_failure(const char* what);
  /// @endcond

  /// The time on this rank's clock, virtual in a simulated run.
  [[nodiscard]] Instant now() const { return ticks_.is_usable() ? ticks_.now() : clock_.now(); }
  /// @cond
  /// The time as this thread knows it without reading the clock, which takes as long as a short
  /// call: on a worker it is at most a turn old.
  [[nodiscard]] Instant recent_now() const {
    const Context* const context = current();
    if (virtual_clock_ != nullptr || slot_of(context) >= options_.workers) return now();
    return std::max(slots_[context->slot]->last_stamp, context->run_begin);
  }
  [[nodiscard]] core::Clock& clock() const { return clock_; }
  [[nodiscard]] WorkerIndex workers() const { return options_.workers; }
  /// True if items of one priority run in the order in which they are pushed: there is one worker,
  /// and the scheduler preserves the order. Constant after set-up.
  [[nodiscard]] bool runs_in_push_order() const { return runs_in_push_order_; }
  [[nodiscard]] const EngineOptions& options() const { return options_; }
  [[nodiscard]] Services& services() { return services_; }
  [[nodiscard]] WaitList& waits() { return waits_; }
  [[nodiscard]] const WorkerStats& stats(std::uint32_t slot) const { return slots_[slot]->stats; }
  /// The idle time of all workers since the engine was made, up to now: also that of workers that
  /// are idle at present, which their statistics do not contain yet. Any thread; exact if no worker
  /// begins or ends anything meanwhile.
  [[nodiscard]] Duration idle_time() const;
  /// Counts time that workers have spent on work of other ranks; below 0: that other ranks have
  /// spent on work of this one. Whoever asks how much work this rank has subtracts it from its
  /// busy time. Any thread.
  void add_lent_time(Duration time) { lent_.fetch_add(time.count(), std::memory_order_relaxed); }
  [[nodiscard]] Duration lent_time() const {
    return Duration(lent_.load(std::memory_order_relaxed));
  }
  /// Number of slots: the workers, the communication slot and the outside slot.
  [[nodiscard]] std::uint32_t slot_count() const {
    return static_cast<std::uint32_t>(slots_.size());
  }
  [[nodiscard]] std::uint32_t communication_slot() const { return options_.workers; }
  [[nodiscard]] std::uint32_t outside_slot() const { return options_.workers + 1; }
  /// The slot that this thread turns, or the outside slot.
  [[nodiscard]] std::uint32_t this_slot() const { return slot_of(current()); }
  /// The slot of a context, or the outside slot. Not inside a coroutine: see current().
  [[nodiscard]] std::uint32_t slot_of(const Context* context) const {
    if (context != nullptr && context->engine == this) [[likely]]
      return context->slot;
    return outside_slot();
  }
  [[nodiscard]] Context& outside_context() { return slots_[outside_slot()]->context; }
  /// True if at some moment during the call no item was queued or running.
  [[nodiscard]] bool is_idle() const {
    return unfinished() == 0 && held_count_.load(std::memory_order_acquire) == 0;
  }
  /// The number of items queued or running: at least as many as there were at some moment during
  /// the call.
  [[nodiscard]] std::uint64_t unfinished() const;
  /// Stores how many items each worker has finished, for busy_since(). Any thread.
  void note_finished(std::vector<std::uint64_t>& finished) const;
  /// The number of workers that have been inside one and the same item since then. Any thread.
  [[nodiscard]] std::uint32_t busy_since(const std::vector<std::uint64_t>& finished) const;
  /// True if a worker is inside a handler right now (a hint).
  [[nodiscard]] bool is_busy(WorkerIndex worker) const {
    return slots_[worker]->in_handler.load(std::memory_order_relaxed);
  }
  /// The number of workers inside a handler right now (a hint).
  [[nodiscard]] std::uint32_t busy_workers() const;
  /// @endcond

 private:
  struct alignas(64) Slot {
    Context context;
    WorkerStats stats;
    std::unique_ptr<SpareBlocks> spare_blocks;  // workers in real time
    // Written by the slot's thread, read by is_idle(). Several threads write the outside slot, by
    // read-modify-writes.
    std::atomic<std::uint64_t> pushed{0};
    std::atomic<std::uint64_t> finished{0};
    std::atomic<bool> in_handler{false};
    // Used by the slot's thread alone:
    Execution* unfinished = nullptr;  // virtual time: ended, but its computing time has not passed
    bool completes_item = false;
    std::vector<ReadyItem*> held_pushes;  // virtual time: items pushed after compute()
    Instant last_stamp{0};
    std::uint32_t steps_since_progress = 0;
    bool is_resting = false;  // true: the last step found nothing to do
    std::uint32_t nesting = 0;
    Instant nested_until{0};  // when the last nested run ended
    // An idle worker that makes progress runs the first item that becomes ready itself, without a
    // queue or a wake-up.
    bool runs_next = false;
    ReadyItem* first_ready = nullptr;
    ReadyItem* next = nullptr;    // pushed by push_next()
    core::SpinLock outside_lock;  // outside slot only: several threads use its context
  };

  // Called inside progress by the slot's own thread.
  bool run_next(Slot& slot, ReadyItem* item) {
    slot.runs_next = false;
    looking_ = nullptr;
    slot.first_ready = item;
    slot.pushed.store(slot.pushed.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return true;
  }
  [[nodiscard]] Duration simulated(Duration duration);
  [[nodiscard]] bool hold_back(ReadyItem* item);
  std::size_t try_progress(Instant now, Slot* looking = nullptr);
  std::size_t poll(Instant now);
  std::size_t poll_idle(Instant now);
  // Where the time comes from. It is known at compile time, because every message pays for the
  // decision.
  enum class Time : std::uint8_t { simulated, counted, asked_for };
  struct Found {
    ReadyItem* item;
    std::size_t progressed;  // work done while looking
  };
  template <Time T>
  [[nodiscard]] Instant time() const;
  [[nodiscard]] bool progress_is_due(Slot& slot) const;
  template <Time T>
  bool turn(Slot& slot);
  template <Time T>
  bool turns(Slot& slot);
  template <Time T>
  Found next_item(Slot& slot);
  Found look_for_work(Slot& slot, Instant now);
  std::size_t look_once(Slot& slot, Instant now);
  Found look_again(Slot& slot, Instant now);
  [[nodiscard]] ReadyItem* pop(const Slot& slot);
  [[nodiscard]] ReadyItem* next_ready(Slot& slot);
  Found progress_and_next(Slot& slot, Instant now);
  void run_measured(ReadyItem& item, Context& context);
  void charge_measured_time();
  void observe(const Slot& slot, Instant begin, Instant end);
  StepResult rest(Slot& slot, bool was_resting);
  template <Time T>
  void run(Slot& slot, ReadyItem* item);
  bool run_nested(Slot& slot, SeveralRuns* several);
  void complete(Slot& slot);
  static void end_item(Slot& slot);
  void preempt();
  void push_to(std::uint32_t slot, ReadyItem* item);
  void push_now(Slot& slot, ReadyItem* item);

  struct Used {
    const void* begin;
    std::size_t bytes;
  };

  const EngineOptions options_;
  core::Clock& clock_;
  core::VirtualClock* const virtual_clock_;  // nullptr in real time
  const core::TickCounter ticks_;  // that of clock_, if it has one: read without a virtual call
  const Instant begin_;            // when the engine was made
  const bool workers_make_progress_;
  core::Owned<Scheduler> scheduler_;
  const ReadyCounts* ready_;  // those of the scheduler
  bool runs_in_push_order_;
  std::vector<Poller*> pollers_;
  std::vector<Poller*> idle_pollers_;
  Waker* waker_ = nullptr;
  RunObserver* observer_ = nullptr;
  Interleaver* interleaver_ = nullptr;  // nullptr in real time
  std::function<void(const std::string&)> on_error_;
  std::function<void(const char*)> on_failure_;
  Services services_;
  std::vector<core::Owned<Slot>> slots_;
  Timers timers_;
  WaitList waits_;
  core::SpinLock progress_lock_;  // the thread that holds it polls
  Slot* looking_ = nullptr;  // under progress_lock_: its holder's slot, if that may run an item
  // The thread that holds the progress lock, 0: none. A thread only asks whether it is itself the
  // holder.
  std::atomic<core::ThreadTag> progress_thread_{0};
  Duration charged_until_{0};                   // of the simulating thread, in measured runs
  std::atomic<std::int64_t> lent_{0};           // see add_lent_time()
  std::atomic<std::int64_t> last_progress_{0};  // written by the holder of the progress lock
  std::atomic<bool> stopped_{false};
  core::Random noise_;                   // used in virtual time
  std::atomic<bool> holds_work_{false};  // written under held_lock_
  std::atomic<std::size_t> held_count_{0};
  core::SpinLock held_lock_;
  std::vector<ReadyItem*> held_work_;  // under held_lock_
  std::vector<Used> used_;             // see add_used()
};

}  // namespace roam::exec
