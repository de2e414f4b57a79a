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

/// A message for a handler of the program that belongs to an epoch; the payload of that handler
/// follows.
struct InEpoch {
  static constexpr MessageKind kind{"roam.in_epoch", Counted::yes, Behind::bytes_and_array};
  std::uint64_t epoch = 0;
  std::uint32_t handler = 0;
  std::uint32_t reserved = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.epoch, m.handler, m.reserved); }
};
struct EpochReport;

/// What is known on this rank of one epoch, for reports.
struct EpochState {
  Epoch epoch;
  std::uint64_t unfinished = 0;  ///< pieces of its work that wait or run here, of whatever kind
  bool is_open = false;          ///< begun here and not closed
  bool is_own = false;           ///< begun here
};

/// The epochs of one rank (M10): which work belongs to which, and when one has ended.
///
/// Every rank counts, per epoch, the messages that it has sent to each rank and those it has taken
/// in. When nothing of the epoch is left to do on it, it passes the differences since its last
/// report to its parent in a tree of ranks whose root has begun the epoch; on the way they are
/// added up. The epoch is over when nothing of it is left at the root and all sums there are 0
/// (F. Mattern, Algorithms for distributed termination detection, Distributed Computing 2, 1987,
/// section 7: the vector counter method; here sums travel up a tree instead of round a ring).
/// Ranks that an epoch does not touch hear of it only where a report passes through; nobody keeps
/// anything of one that is over. Thread-safe unless said otherwise; nothing blocks.
class Epochs {
 public:
  explicit Epochs(Messenger& messenger);
  Epochs(const Epochs&) = delete;
  Epochs& operator=(const Epochs&) = delete;
  ~Epochs();

  // --- programs: inside handlers and main programs ---

  /// Begins an epoch, which this rank may add to until it is closed. Begun by work of another
  /// epoch, it keeps that one unfinished until it is over itself.
  [[nodiscard]] Epoch begin();
  /// Nothing more is added from outside. On the rank that began it; no effect a second time.
  void close(Epoch epoch);
  /// Calls `issue()`; what it sends, calls, multicasts, migrates and does with collections belongs
  /// to the epoch, and with it all that this causes. Only on the rank that began it, before it is
  /// closed, or by the epoch's own work; a default Epoch: in none. Not a coroutine: the epoch is
  /// that of what is issued before issue() returns. Throws roam::Error if the epoch cannot be added
  /// to.
  template <class F>
  auto run(Epoch epoch, F&& issue) -> std::invoke_result_t<F> {
    static_assert(!exec::is_task<std::remove_cvref_t<std::invoke_result_t<F>>>,
                  "what issues the work of an epoch is a plain function: a coroutine would go on "
                  "outside of the epoch after its first co_await");
    const Membership membership(*this, epoch);
    return std::forward<F>(issue)();
  }
  /// Waits until nothing of the epoch runs, is queued or is under way. On the rank that began it,
  /// this closes it first; elsewhere it waits for whoever does. Other work goes on. Throws
  /// roam::Error if it is awaited by its own work, which would wait for itself.
  [[nodiscard]] Task<> finished(Epoch epoch);
  /// Calls `issue()` in a new epoch, at once, and closes that; to be awaited: its end.
  template <class F>
  [[nodiscard]] Task<> run_and_wait(F&& issue) {
    const Epoch epoch = begin();
    run(epoch, std::forward<F>(issue));
    close(epoch);
    return finished(epoch);
  }

  /// The same of an epoch begun here, without closing it.
  [[nodiscard]] Task<> ended(Epoch epoch);

  // --- rooms above: whoever sends or keeps work of an epoch says so; never for epoch 0 ---

  /// The epoch of what runs on this thread, 0: none.
  [[nodiscard]] static std::uint64_t current();
  /// A message of the epoch has gone to a rank, or (-1) will never arrive there.
  void sent(std::uint64_t epoch, Rank to, std::int64_t number = 1);
  /// A message of the epoch has arrived and is something unfinished from now on. False if there can
  /// be no such epoch (A7); then nothing is counted.
  [[nodiscard]] bool taken_in(std::uint64_t epoch);
  /// Something of the epoch is unfinished here, beside what has caused it.
  void begin_work(std::uint64_t epoch);
  /// It is over.
  void end_work(std::uint64_t epoch);

  // --- for quiescence and reports ---

  /// True if this rank has nothing to report. Exact to a thread that has seen the rank idle before.
  [[nodiscard]] bool is_settled() const { return due_.load(std::memory_order_acquire) == 0; }
  /// Epochs of which something is kept here.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::uint64_t reports_sent() const {
    return reports_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::vector<EpochState> unfinished() const;
  /// The job ends: what happens to what is left resumes nobody.
  void stop();

  /// The tree along which an epoch's reports travel: ranks counted from its root, so many children
  /// each.
  static constexpr std::int32_t tree_width = 8;

 private:
  /// By rank, not 0: messages sent there less those taken in there, not reported yet.
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
  /// Makes an epoch the present one for a scope. Never inlined: coroutines use it.
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
    bool is_due = false;  // a timer is set that will report
    // On the rank that began it:
    bool is_open = false;
    std::uint64_t outer = 0;  // the epoch whose work began it; counted there as unfinished
    Waiter* waiters = nullptr;
  };
  using Locals = std::unordered_map<std::uint64_t, Local>;
  /// What to do once the lock is free.
  struct Ended {
    Waiter* waiters = nullptr;
    std::uint64_t outer = 0;
  };
  /// How often an epoch was reported lately: a rank that works for it now and then does not report
  /// every time.
  struct Pace {
    Instant first{0};       // report of a series
    Instant not_before{0};  // the next
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
  std::atomic<std::uint32_t> due_{0};  // epochs with a timer set
  std::atomic<std::uint64_t> reports_{0};
};

}  // namespace roam::am
