// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/rank_tree.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/detail/suspension.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

/// Detects the state in which no handler runs, none is queued and no message or migration is in
/// flight on any rank (M10): by waves over the binary tree of ranks that add up the counted
/// messages sent and received (Mattern's four-counter method). A rank passes a wave on only while
/// it is idle, so that waves cost nothing while there is work. Two waves with equal, balanced sums
/// prove quiescence. The first of them may be the last one of the previous quiescence: if no
/// message has been sent since, one wave is enough.
class Quiescence final : public exec::Poller {
 public:
  Quiescence(am::Messenger& messenger, ObjectSpace& space);
  Quiescence(const Quiescence&) = delete;
  Quiescence& operator=(const Quiescence&) = delete;
  ~Quiescence() override;

  /// Suspends the caller until the next quiescence of the whole job; awaitable in any coroutine of
  /// this rank. For it to come, the main program of every rank has to wait or to have ended.
  /// `called` names what the program has called, for the stuck report; in static storage.
  auto wait(const char* called = "quiescence()") {
    struct Awaiter {
      Quiescence& quiescence;
      Waiter waiter;
      Awaiter(Quiescence& q, const char* name) : quiescence(q) { waiter.called = name; }
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> handle) {
        waiter.capture(handle);
        quiescence.add_waiter(&waiter);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter(*this, called);
  }
  /// Calls `then` once when the job is over: all main programs have ended and nothing is left to
  /// do.
  void when_finished(std::function<void()> then);
  /// Sets a function that is called on rank 0, once, if nothing can make progress although
  /// executions wait. Waits that a deadline will end are not stuck: see
  /// exec::WaitList::begin_deadline().
  void set_stuck_handler(std::function<void(const StuckFacts&)> handler);

  /// Sets a function that is called on each rank of a stuck job and adds what the rooms above know
  /// of it. Before the first wait.
  void set_stuck_source(std::function<void(StuckFacts&)> source);

  /// While held, this rank counts as busy: its driver may still bring work of which nothing here
  /// shows a trace. Initially not held.
  void hold(bool held);

  std::size_t poll(Instant now) override;
  void add_to(exec::WorkingSet& set) const override;
  void look_ahead(int step) const override { space_.look_ahead(step); }
  [[nodiscard]] Instant next_due() const override;
  /// The number of waves completed, on rank 0.
  [[nodiscard]] std::uint64_t waves() const { return waves_.load(std::memory_order_relaxed); }

 private:
  struct Waiter final : exec::Suspension {
    Waiter* next = nullptr;
    const char* called = nullptr;
  };
  /// What a wave collects: sums over a subtree.
  struct Sums {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t waiting = 0;    // suspended executions, except those in wait()
    std::uint64_t set_aside = 0;  // calls that wait for their predecessors
    std::uint64_t program_waiters = 0;
    std::uint64_t deadlines = 0;  // deadlines that will end some of the waits
    void add(const Sums& other);
    static constexpr auto fields(auto& m) {
      return std::tie(m.sent, m.received, m.waiting, m.set_aside, m.program_waiters, m.deadlines);
    }
  };
  enum class Verdict : std::uint8_t { quiescent, finished };

  [[nodiscard]] bool is_idle() const;
  void add_waiter(Waiter* waiter);
  void start_wave(Instant now);
  void answer_or_judge(Instant now);
  void judge(Instant now);
  void give_verdict(Verdict verdict);
  void add_stuck(StuckFacts& facts) const;
  void add_waiters(StuckFacts& facts) const;
  [[nodiscard]] bool may_be_stuck() const;
  struct Probe;
  struct Collected;
  struct Judged;
  void begin_wave(bool describe);
  void on_probe(const Probe& probe);
  void on_sums(const Collected& collected, am::Incoming&& facts);
  void on_verdict(const Judged& judged);

  am::Messenger& messenger_;
  ObjectSpace& space_;
  const core::RankTree tree_;
  std::function<void(const StuckFacts&)> on_stuck_;
  std::function<void(StuckFacts&)> stuck_source_;

  mutable core::SpinLock lock_;
  Waiter* first_waiter_ = nullptr;       // under lock_
  std::function<void()> when_finished_;  // under lock_
  std::atomic<bool> wanted_{false};      // written under lock_: a coroutine here waits
  std::atomic<bool> held_{false};        // written by hold()

  std::atomic<bool> probing_{
      false};  // a wave is here and not yet passed up; written under the progress lock
  std::atomic<bool> ended_{false};  // the job is over or stuck; written under the progress lock
  // Written and read under the progress lock only:
  bool describe_ = false;  // true: the wave also collects facts for the stuck report
  std::uint32_t answers_due_ = 0;
  Sums collected_;
  const core::Owned<StuckFacts> facts_;
  Sums previous_;  // rank 0: those of the last wave; at first, those of a job in which nothing has
                   // been sent
  Duration pause_{0};
  std::uint64_t last_traffic_ = 0;
  std::atomic<std::int64_t> next_wave_at_{0};  // also reset by coroutines that begin to wait
  std::atomic<std::uint64_t> waves_{0};
};

}  // namespace roam::mobile
