// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "roam/core/clock.hpp"
#include "roam/core/random.hpp"
#include "roam/exec/engine.hpp"
#include "roam/exec/sim_choices.hpp"

namespace roam::exec {

struct SimDriverOptions {
  std::uint64_t seed = 1;
  /// Among events at the same instant, take a random one rather than the oldest: explores more
  /// schedules.
  bool shuffle_ties = false;
  /// Delays each step of a worker by a random time up to this: slow and fast workers, other
  /// interleavings.
  Duration step_jitter{0};
};

/// Turns the engines of a whole simulated machine on one thread in virtual time: an event heap of
/// worker turns and message arrivals. The same seed, engines and network give the same run, event
/// by event (R1).
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
  /// Runs until every engine has stopped. Returns false if it ends before that: no event is left
  /// (nothing can happen any more), or the choices said so.
  bool run();
  /// Events handled so far.
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  class Rank;
  struct Event {
    std::int64_t when;
    std::uint64_t order;
    std::uint32_t engine;
    std::uint32_t slot;
    std::uint32_t generation;
  };
  static bool later(const Event& a, const Event& b) {
    return a.when != b.when ? a.when > b.when : a.order > b.order;
  }
  void schedule(Instant when, std::uint32_t engine, std::uint32_t slot, std::uint32_t generation);
  [[nodiscard]] Event take_event(std::size_t place);
  void happen(const Event& event);
  void turn(const Event& event);
  void preempt(std::uint32_t engine);
  bool run_nested(std::uint32_t engine, bool same_rank, Instant latest);
  void wake(std::uint32_t engine);
  void set_alarm(std::uint32_t engine);

  core::VirtualClock& clock_;
  const SimDriverOptions options_;
  core::Random random_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<Event> heap_;
  std::uint64_t ordered_ = 0;
  std::uint64_t events_ = 0;
  std::size_t running_ = 0;
  std::function<void(std::uint64_t)> interruption_;
  SimChoices* choices_ = nullptr;
  std::uint32_t nesting_ = 0;  // preempted steps under way
  bool is_turning_ = false;    // inside run()
};

}  // namespace roam::exec
