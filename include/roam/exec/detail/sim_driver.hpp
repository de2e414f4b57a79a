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
  /// Takes a random one among events at the same instant rather than the oldest: explores more
  /// schedules.
  bool shuffle_ties = false;
  /// Delays each step of a worker by a random time of at most this. So there are slow and fast
  /// workers, and other interleavings.
  Duration step_jitter{0};
  /// The actions of one engine affect another no sooner than after this time (a network's least
  /// delay). Engines therefore take turns of up to this length, in the order of their numbers, each
  /// with all of its events in that time, so that their caches stay warm. Each engine sees what it
  /// would see otherwise, except for the order of events at one instant. 0: events happen one after
  /// another in the order of time, as they always do with choices, interruptions and shuffled ties.
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
  /// Tells the driver that something arrives for engine `index` at `when`. For the network's
  /// listener.
  void arrival(std::size_t index, Instant when);
  /// What engines share and is given out in the order of time, such as a network's links: once
  /// everything before `due()` has happened, `decide` is called, which moves it on and may call
  /// arrival(), not before `due()`, nor sooner than the lookahead after what it decides began.
  /// `due` returns never while there is nothing to decide.
  void set_arbiter(std::function<Instant()> due, std::function<void()> decide) {
    due_ = std::move(due);
    decide_ = std::move(decide);
  }
  /// Sets a function that is called between any two events with the number of events so far, by
  /// which tests interfere.
  void set_interruption(std::function<void(std::uint64_t)> interruption) {
    interruption_ = std::move(interruption);
  }
  /// Sets a function that is called every few thousand events, between two of them, to show how far
  /// the run has come. It must not change anything that the simulation uses.
  void set_watcher(std::function<void()> watcher) { watcher_ = std::move(watcher); }
  /// Runs until every engine has stopped. Returns false if it ends before that: no event is left
  /// (nothing can happen any more), the choices said so, or it was interrupted.
  bool run();
  /// Makes run() end after the present event. Any thread.
  void interrupt() { interrupted_.store(true, std::memory_order_release); }
  /// True once interrupt() has been called. What the interrupting thread did before is then visible
  /// to the caller.
  [[nodiscard]] bool is_interrupted() const { return interrupted_.load(std::memory_order_acquire); }
  /// The number of events handled so far.
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
  /// Has decided what is due before the next event, or before the next window.
  template <class Next>
  void arbitrate(const Next& next) {
    if (!due_) return;
    for (Instant due = due_(); due != never && due <= next(); due = due_()) decide_();
  }
  [[nodiscard]] bool next_turn();
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
  /// True if an idle worker receives what arrives, as in real time, rather than the communication
  /// slot. Where schedules are explored, either may: that gives more schedules.
  [[nodiscard]] bool idle_workers_look_first() const {
    return choices_ == nullptr && !options_.shuffle_ties;
  }
  void wake(std::uint32_t engine);
  void set_alarm(std::uint32_t engine);

  core::VirtualClock& clock_;
  const SimDriverOptions options_;
  core::Random random_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<SimEvent> heap_;           // used while events happen in the order of time
  std::unique_ptr<SimWindows> windows_;  // used while engines take turns
  std::uint64_t ordered_ = 0;
  std::uint64_t events_ = 0;
  std::size_t running_ = 0;
  Instant ended_{0};              // when the last of the stopped engines stopped
  std::function<Instant()> due_;  // set together with decide_, or neither
  std::function<void()> decide_;
  std::function<void(std::uint64_t)> interruption_;
  std::function<void()> watcher_;
  std::uint64_t next_watch_ = 0;  // the number of the event after which the watcher is called next
  SimChoices* choices_ = nullptr;
  std::uint32_t nesting_ = 0;  // preempted steps that have not gone on yet
  bool is_turning_ = false;    // true inside run()
  std::atomic<bool> interrupted_{false};
};

}  // namespace roam::exec
