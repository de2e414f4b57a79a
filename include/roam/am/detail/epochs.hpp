// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/am/detail/handler_table.hpp"
#include "roam/am/detail/system_message.hpp"
#include "roam/am/epoch.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/detail/suspension.hpp"
#include "roam/exec/task.hpp"

namespace roam::am {

class Messenger;

/// A message to a handler of the program that belongs to an epoch. The payload for that handler
/// follows.
struct InEpoch {
  static constexpr MessageKind kind{"roam.in_epoch", Counted::yes, Behind::bytes_and_array};
  std::uint64_t epoch = 0;
  std::uint32_t handler = 0;
  std::uint32_t reserved = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.epoch, m.handler, m.reserved); }
};
struct EpochReport;

/// What this rank knows of one epoch, for reports.
struct EpochState {
  Epoch epoch;
  std::uint64_t unfinished = 0;  ///< pieces of its work, of any kind, that wait or run here
  bool is_open = false;          ///< begun here and not closed
  bool is_own = false;           ///< begun here
};

/// The epochs of one rank (M10): which work belongs to which, and when one has ended.
///
/// For each epoch, every rank counts the messages that it has sent to each rank and those that it
/// has received. When it has no work of the epoch left, it sends the differences since its last
/// report to its parent in a tree of ranks, whose root is the rank that began the epoch; they are
/// added up on the way. The epoch is over when its root has no work of it left and all sums there
/// are 0 (F. Mattern, Algorithms for distributed termination detection, Distributed Computing 2,
/// 1987, section 7: the vector counter method; here sums travel up a tree instead of round a ring).
/// A rank without work of an epoch takes part only if a report passes through it, and no rank
/// stores anything of an epoch that is over. Thread-safe unless said otherwise; nothing blocks.
class Epochs {
 public:
  explicit Epochs(Messenger& messenger);
  Epochs(const Epochs&) = delete;
  Epochs& operator=(const Epochs&) = delete;
  ~Epochs();

  // --- programs: inside handlers and main programs ---

  /// Begins an epoch, to which this rank may add until it closes it. An epoch that was begun by
  /// work of another epoch keeps that one unfinished until it is over itself.
  [[nodiscard]] Epoch begin();
  /// Declares that nothing more will be added from outside the epoch. On the rank that began it; a
  /// second call has no effect.
  void close(Epoch epoch);
  /// Calls `issue()`. What it sends, calls, multicasts, migrates and does with collections belongs
  /// to the epoch, and so does all that this causes. Only allowed on the rank that began the epoch,
  /// before it is closed, or in work of the epoch itself; with a default Epoch, what is issued
  /// belongs to none. `issue` must not be a coroutine: only what is issued before issue() returns
  /// belongs to the epoch. Throws roam::Error if the epoch cannot be added to.
  template <class F>
  auto run(Epoch epoch, F&& issue) -> std::invoke_result_t<F> {
    static_assert(!exec::is_task<std::remove_cvref_t<std::invoke_result_t<F>>>,
                  "what issues the work of an epoch is a plain function: a coroutine would go on "
                  "outside of the epoch after its first co_await");
    const Membership membership(*this, epoch);
    return std::forward<F>(issue)();
  }
  /// Waits until nothing of the epoch runs, is queued or is under way. On the rank that began the
  /// epoch, this closes it first; elsewhere it waits until that rank closes it. Other work goes on.
  /// Throws roam::Error if work of the epoch awaits it, which would wait for itself.
  [[nodiscard]] Task<> finished(Epoch epoch);
  /// Begins an epoch, calls `issue()` in it at once, and closes it. Await the result to wait for
  /// its end.
  template <class F>
  [[nodiscard]] Task<> run_and_wait(F&& issue) {
    const Epoch epoch = begin();
    run(epoch, std::forward<F>(issue));
    close(epoch);
    return finished(epoch);
  }

  /// Waits for the end of an epoch begun here, without closing it.
  [[nodiscard]] Task<> ended(Epoch epoch);

  // --- for rooms above, which report what they send and process of an epoch; never for epoch 0 ---

  /// The epoch of the code that runs on this thread, 0 for none.
  [[nodiscard]] static std::uint64_t current();
  /// Notes that a message of the epoch has been sent to a rank or, with -1, that it will never
  /// arrive there.
  void sent(std::uint64_t epoch, Rank to, std::int64_t number = 1);
  /// Notes that a message of the epoch has arrived and is unfinished work from now on. False if
  /// there can be no such epoch (A7); then nothing is counted.
  [[nodiscard]] bool taken_in(std::uint64_t epoch);
  /// Notes that a further piece of work of the epoch has begun here, besides the one that has
  /// caused it.
  void begin_work(std::uint64_t epoch);
  /// Notes that such a piece of work is over.
  void end_work(std::uint64_t epoch);

  // --- for quiescence and reports ---

  /// True if this rank has nothing to report. Exact for a thread that has seen the rank idle
  /// before.
  [[nodiscard]] bool is_settled() const { return due_.load(std::memory_order_acquire) == 0; }
  /// The number of epochs of which this rank stores something.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::uint64_t reports_sent() const {
    return reports_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::vector<EpochState> unfinished() const;
  /// Called when the job ends: from then on the end of an epoch resumes nobody.
  void stop();

  /// The number of children of each rank in the tree along which an epoch's reports travel; in the
  /// tree, ranks are counted from the epoch's root.
  static constexpr std::int32_t tree_width = 8;

 private:
  /// For each rank with a count other than 0: messages sent to it less those received there that
  /// have not been reported yet.
  using Counts = std::unordered_map<std::int32_t, std::int64_t>;
  struct Waiter final : exec::Suspension, exec::WaitList::Entry {
    explicit Waiter(Epoch awaited) : epoch(awaited) {}
    [[nodiscard]] std::string waits_for() const override;
    [[nodiscard]] std::string who() const override;
    [[nodiscard]] Details details() const override { return {execution(), subject(), {}, 0}; }
    Epoch epoch;
    Waiter* next = nullptr;
  };
  struct Awaiter {
    Epochs& epochs;
    Waiter waiter;
    Awaiter(Epochs& e, Epoch epoch) : epochs(e), waiter(epoch) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> handle) {
      waiter.capture(handle);
      return epochs.add_waiter(&waiter);
    }
    void await_resume() const noexcept {}
  };
  /// Makes an epoch the current one for a scope. Never inlined, because coroutines use it.
  class Membership {
   public:
    Membership(Epochs& epochs, Epoch epoch);
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;
    ~Membership();

   private:
    Epochs& epochs_;
    Epoch epoch_;
    std::uint64_t outer_ = 0;
    bool holds_work_ = false;
  };
  struct Local {
    std::uint64_t unfinished = 0;
    Counts counts;
    bool is_due = false;  // true: a timer is set that will report
    // Used on the rank that began it:
    bool is_open = false;
    // The epoch whose work began this one, which counts as unfinished work there.
    std::uint64_t outer = 0;
    Waiter* waiters = nullptr;
  };
  using Locals = std::unordered_map<std::uint64_t, Local>;
  /// What is left to do after the lock has been released.
  struct Ended {
    Waiter* waiters = nullptr;
    std::uint64_t outer = 0;
  };
  /// How often an epoch has been reported lately: a rank that works for it again and again does not
  /// report every time.
  struct Pace {
    Instant first{0};       // the first report of a series
    Instant not_before{0};  // when the next report may be sent
  };
  enum class Report : std::uint8_t { none, later };

  [[nodiscard]] bool add_waiter(Waiter* waiter);
  [[nodiscard]] bool begin_work_if_open(Epoch epoch);
  [[nodiscard]] bool is_own(std::uint64_t epoch) const;
  [[nodiscard]] bool may_exist(std::uint64_t epoch) const ROAM_REQUIRES(lock_);
  static void count(Counts& counts, std::int32_t rank, std::int64_t by);
  [[nodiscard]] Ended take_if_over(Locals::iterator local) ROAM_REQUIRES(lock_);
  void carry_out(const Ended& ended) ROAM_EXCLUDES(lock_);
  [[nodiscard]] Report settle(Locals::iterator local) ROAM_REQUIRES(lock_);
  void report_later(std::uint64_t epoch);
  void report(std::uint64_t epoch);
  [[nodiscard]] Rank parent(std::uint64_t epoch) const;
  void set_pace(std::uint64_t epoch, Instant now) ROAM_REQUIRES(lock_);
  void on_report(const EpochReport& report);
  void on_message(const InEpoch& head, Incoming&& rest);
  [[nodiscard]] bool merge(std::uint64_t epoch,
                           const std::vector<std::pair<std::int32_t, std::int64_t>>& counts);

  Messenger& messenger_;
  mutable core::SpinLock lock_;
  Locals locals_ ROAM_GUARDED_BY(lock_);
  std::unordered_map<std::uint64_t, Pace> pace_ ROAM_GUARDED_BY(lock_);
  std::uint64_t next_serial_ ROAM_GUARDED_BY(lock_) = 1;
  bool is_stopped_ ROAM_GUARDED_BY(lock_) = false;
  std::atomic<std::uint32_t> due_{0};  // the number of epochs with a timer set
  std::atomic<std::uint64_t> reports_{0};
};

}  // namespace roam::am
