// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "roam/core/detail/clock.hpp"
#include "roam/core/random.hpp"
#include "roam/exec/detail/sim_choices.hpp"
#include "roam/exec/detail/sim_windows.hpp"
#include "roam/exec/engine.hpp"

namespace roam::exec {

struct SimDriverOptions {
  std::uint64_t seed = 1;
  /// Among events at the same instant, take a random one rather than the oldest: explores more
  /// schedules.
  bool shuffle_ties = false;
  /// Delays each step of a worker by a random time up to this: slow and fast workers, other
  /// interleavings.
  Duration step_jitter{0};
  /// What one engine does has no effect on another sooner than this (a network's least delay): they
  /// take turns of up to this length, in the order of their numbers, each with all of its events in
  /// that time. Their caches stay warm, and each sees what it would see otherwise, except for the
  /// order of events at one instant. 0: one event after another in the order of time, as for
  /// choices, interruptions and shuffled ties in any case.
  Duration lookahead{0};
};

/// Turns the engines of a whole simulated machine on one thread in virtual time: events are worker
/// turns and message arrivals. The same seed, engines and network give the same run, event by event
/// (R1).
class SimDriver {
 public:
  SimDriver(core::VirtualClock& clock, const SimDriverOptions& options);
  ~SimDriver();
  SimDriver(const SimDriver&) = delete;
  SimDriver& operator=(const SimDriver&) = delete;

  /// Lets `choices` decide what the machine leaves open, beyond the options. Before add().
  void set_choices(SimChoices* choices) { choices_ = choices; }
  /// Engines are numbered in the order added; with a simulated network that is their rank.
  void add(Engine& engine);
  /// Something arrives for engine `index` at `when`; for the network's listener.
  void arrival(std::size_t index, Instant when);
  /// Called between any two events with the count of events so far: the place for tests to
  /// interfere.
  void set_interruption(std::function<void(std::uint64_t)> interruption) {
    interruption_ = std::move(interruption);
  }
  /// Called every few thousand events, between two of them: for whoever shows how far the run is.
  /// Must not interfere.
  void set_watcher(std::function<void()> watcher) { watcher_ = std::move(watcher); }
  /// Runs until every engine has stopped. Returns false if it ends before that: no event is left
  /// (nothing can happen any more), the choices said so, or it was interrupted.
  bool run();
  /// run() ends after the event under way. Any thread.
  void interrupt() { interrupted_.store(true, std::memory_order_release); }
  /// What the thread that interrupted it did before has been done.
  [[nodiscard]] bool is_interrupted() const { return interrupted_.load(std::memory_order_acquire); }
  /// Events handled so far.
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  class Rank;
  class Prefetcher;
  static constexpr std::uint64_t events_between_looks = 4096;
  void schedule(Instant when, std::uint32_t engine, std::uint32_t slot, std::uint32_t generation);
  [[nodiscard]] SimEvent take_event(std::size_t place);
  bool run_in_order();
  bool run_in_windows();
  void happen(const SimEvent& event);
  void watch() {
    if (!watcher_ || events_ < next_watch_) return;
    next_watch_ = events_ + events_between_looks;
    watcher_();
  }
  void turn(const SimEvent& event);
  void step(std::uint32_t engine, std::uint32_t worker);
  [[nodiscard]] StepResult guarded_step(Engine& engine, std::uint32_t slot);
  void preempt(std::uint32_t engine);
  bool run_nested(std::uint32_t engine, bool same_rank, Instant latest);
  /// What arrives is taken in by an idle worker, as in real time, rather than by the communication
  /// slot. Where schedules are explored, either: there are more of them.
  [[nodiscard]] bool idle_workers_look_first() const {
    return choices_ == nullptr && !options_.shuffle_ties;
  }
  void wake(std::uint32_t engine);
  void set_alarm(std::uint32_t engine);

  core::VirtualClock& clock_;
  const SimDriverOptions options_;
  core::Random random_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<SimEvent> heap_;           // while events happen in the order of time
  std::unique_ptr<SimWindows> windows_;  // while engines take turns
  std::uint64_t ordered_ = 0;
  std::uint64_t events_ = 0;
  std::size_t running_ = 0;
  Instant ended_{0};  // when the last engine stopped that has
  std::function<void(std::uint64_t)> interruption_;
  std::function<void()> watcher_;
  std::uint64_t next_watch_ = 0;  // event
  SimChoices* choices_ = nullptr;
  std::uint32_t nesting_ = 0;  // preempted steps under way
  bool is_turning_ = false;    // inside run()
  std::atomic<bool> interrupted_{false};
};

}  // namespace roam::exec
