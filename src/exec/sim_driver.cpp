// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/sim_driver.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "roam/core/detail/prefetch.hpp"

namespace roam::exec {

namespace {
// How deeply preemptions may be nested: enough for three threads that interfere with one another.
constexpr std::uint32_t deepest_nesting = 3;
constexpr std::uint32_t arrival_slot = SimEvent::arrival_slot;
}  // namespace

/// One engine and the state of its workers. Each worker either has a turn in the heap or is idle,
/// perhaps with an alarm.
class SimDriver::Rank final : public Waker, public Interleaver {
 public:
  struct Worker {
    std::uint32_t generation = 0;  // invalidates alarms of an idle phase that ended early
    bool is_idle = true;
    bool stopped = false;
  };
  Rank(SimDriver& driver, std::uint32_t index, Engine& turned)
      : engine(turned), workers(turned.workers()), driver_(driver), index_(index) {
    for (std::uint32_t w = turned.workers(); w-- > 0;) idle.push_back(w);
  }
  /// Takes the worker that became idle last off the idle list; its alarm becomes invalid.
  std::uint32_t take_idle() {
    const std::uint32_t worker = idle.back();
    idle.pop_back();
    workers[worker].is_idle = false;
    ++workers[worker].generation;
    return worker;
  }
  void take_idle(std::uint32_t worker) {
    std::erase(idle, worker);
    workers[worker].is_idle = false;
  }
  void wake() override { driver_.wake(index_); }
  void preempt() override { driver_.preempt(index_); }

  [[nodiscard]] WorkingSet working_set() const {
    WorkingSet set = engine.working_set();
    set.add(*this);
    set.add(workers.front());
    set.add(idle.data(), sizeof idle[0]);
    return set;
  }

  Engine& engine;
  std::vector<Worker> workers;
  std::vector<std::uint32_t> idle;  // idle workers; the one that became idle last is woken first
  std::size_t stopped_workers = 0;
  Instant alarm = never;  // the alarm of the pollers, used while all workers are busy

 private:
  SimDriver& driver_;
  std::uint32_t index_;
};

/// Prefetches the memory of the next engines while another one has its turn.
class SimDriver::Prefetcher {
 public:
  explicit Prefetcher(const std::vector<std::unique_ptr<Rank>>& ranks)
      : ranks_(ranks), known_(ranks.size() < fewest ? 0 : ranks.size()) {}
  void turn(const SimWindows& windows) {
    if (known_.empty()) return;
    learn(windows.engine());
    if (const std::uint32_t next = windows.engine_after(first_look); next != SimWindows::none)
      core::prefetch_to_write(&known_[next], sizeof known_[next]);
    if (const std::uint32_t next = windows.engine_after(first_look - turns_between);
        next != SimWindows::none)
      known_[next].set.prefetch();
    // What arrives is found only by way of memory, step by step.
    for (int step = 0; step <= Poller::last_look; ++step) {
      const std::uint32_t next = windows.engine_after(
          turns_between * static_cast<std::size_t>(Poller::last_look - step + 1));
      if (next != SimWindows::none && windows.has_arrival(next))
        ranks_[next]->engine.look_ahead(step);
    }
  }

 private:
  static constexpr std::size_t fewest = 64;  // engines: fewer stay in the cache by themselves
  // An engine's turn may be shorter than the memory takes to come.
  static constexpr std::size_t turns_between = 2;  // from one step of looking ahead to the next
  // The number of turns before an engine's own.
  static constexpr std::size_t first_look = turns_between * (Poller::last_look + 3);
  struct Known {
    WorkingSet set;
    std::uint64_t turns = 0;
  };
  // An engine allocates what it uses as it runs, and that grows: so its working set is asked for
  // again, ever more rarely.
  void learn(std::uint32_t engine) {
    Known& known = known_[engine];
    if (std::has_single_bit(++known.turns)) known.set = ranks_[engine]->working_set();
  }
  const std::vector<std::unique_ptr<Rank>>& ranks_;
  std::vector<Known> known_;  // indexed by engine
};

SimDriver::SimDriver(core::VirtualClock& clock, const SimDriverOptions& options)
    : clock_(clock), options_(options), random_(options.seed) {}

SimDriver::~SimDriver() = default;

void SimDriver::add(Engine& engine) {
  const auto index = static_cast<std::uint32_t>(ranks_.size());
  ranks_.push_back(std::make_unique<Rank>(*this, index, engine));
  engine.set_waker(ranks_.back().get());
  if (choices_ != nullptr) engine.set_interleaver(ranks_.back().get());
  ++running_;
}

void SimDriver::schedule(Instant when, std::uint32_t engine, std::uint32_t slot,
                         std::uint32_t generation) {
  std::uint64_t order = options_.shuffle_ties ? random_() : ordered_++;
  if (choices_ != nullptr) {
    const std::uint32_t named =
        slot == arrival_slot ? ranks_[engine]->engine.communication_slot() : slot;
    order += std::uint64_t{choices_->tie(engine, named)} << 32U;
  }
  const SimEvent event{std::max(when, clock_.now()).count(), order, engine, slot, generation};
  if (windows_ != nullptr) {
    windows_->add(event);
    return;
  }
  heap_.push_back(event);
  std::ranges::push_heap(heap_, SimEvent::later);
}

void SimDriver::arrival(std::size_t index, Instant when) {
  const auto engine = static_cast<std::uint32_t>(index);
  schedule(when, engine, arrival_slot, 0);
}

void SimDriver::wake(std::uint32_t index) {
  Rank& rank = *ranks_[index];
  std::size_t woken =
      rank.engine.stopped() ? rank.idle.size() : std::min<std::size_t>(1, rank.idle.size());
  for (; woken > 0; --woken) {
    const std::uint32_t worker = rank.take_idle();
    schedule(clock_.now(), index, worker, rank.workers[worker].generation);
  }
}

SimEvent SimDriver::take_event(std::size_t place) {
  if (place == 0) {
    std::ranges::pop_heap(heap_, SimEvent::later);
    const SimEvent first = heap_.back();
    heap_.pop_back();
    return first;
  }
  const SimEvent event = heap_[place];
  heap_[place] = heap_.back();
  heap_.pop_back();
  std::ranges::make_heap(heap_, SimEvent::later);
  return event;
}

// Nested events may have advanced the clock beyond this event's time.
void SimDriver::happen(const SimEvent& event) {
  clock_.set(std::max(Instant(event.when), clock_.now()));
  turn(event);
  ++events_;
}

bool SimDriver::run() {
  struct Turning {
    explicit Turning(bool& turning) : is_turning(turning) { is_turning = true; }
    Turning(const Turning&) = delete;
    Turning& operator=(const Turning&) = delete;
    ~Turning() { is_turning = false; }
    bool& is_turning;
  };
  const Turning turning(is_turning_);
  const bool any_order = options_.lookahead > Duration::zero() && !options_.shuffle_ties &&
                         choices_ == nullptr && !interruption_;
  return any_order ? run_in_windows() : run_in_order();
}

bool SimDriver::run_in_order() {
  for (std::uint32_t i = 0; i < ranks_.size(); ++i) wake(i);
  while (running_ > 0) {
    arbitrate([this] { return heap_.empty() ? never : Instant(heap_.front().when); });
    if (heap_.empty() || is_interrupted()) return false;
    const SimEvent event = take_event(0);
    happen(event);
    watch();
    if (interruption_) interruption_(events_);
    if (choices_ != nullptr && !choices_->between_events(event.engine, events_)) return false;
  }
  return true;
}

// Between two windows everything before the second has happened.
bool SimDriver::next_turn() {
  if (windows_->is_over()) arbitrate([this] { return windows_->next_begin(); });
  return windows_->next_turn();
}

// Each engine has a time of its own: the clock is set back when the turn passes to another.
bool SimDriver::run_in_windows() {
  windows_ = std::make_unique<SimWindows>(options_.lookahead);
  for (const SimEvent& event : std::exchange(heap_, {})) windows_->add(event);
  for (std::uint32_t i = 0; i < ranks_.size(); ++i) wake(i);
  Prefetcher prefetcher(ranks_);
  while (running_ > 0 && next_turn()) {
    prefetcher.turn(*windows_);
    for (SimEvent event{}; running_ > 0 && windows_->take(event);) {
      if (is_interrupted()) return false;
      clock_.set(Instant(event.when));
      turn(event);
      ++events_;
    }
    watch();
  }
  if (running_ > 0) return false;
  clock_.set(ended_);
  return true;
}

// Outside of run() nothing happens: when a job is taken down, some ranks have been destroyed
// already. The preempted worker has no turn in the heap: it goes on, later, when this returns.
void SimDriver::preempt(std::uint32_t index) {
  if (nesting_ == deepest_nesting || !is_turning_) return;
  ++nesting_;
  bool happened = false;
  {
    const Scope nobody(nullptr);
    const SimChoices::Preemption choice = choices_->preemption(index);
    happened = choice.acted;
    const Instant latest = clock_.now() + choice.longest;
    for (std::uint32_t n = 0; n < choice.events && run_nested(index, choice.same_rank, latest); ++n)
      happened = true;
  }
  --nesting_;
  // What arrived for this engine meanwhile could not be received if the preempted code is making
  // progress itself.
  if (happened) arrival(index, clock_.now());
}

bool SimDriver::run_nested(std::uint32_t index, bool same_rank, Instant latest) {
  std::size_t place = 0;
  if (same_rank) {
    place = heap_.size();
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      if (heap_[i].engine == index &&
          (place == heap_.size() || SimEvent::later(heap_[place], heap_[i])))
        place = i;
    }
  }
  if (place >= heap_.size() || Instant(heap_[place].when) > latest) return false;
  happen(take_event(place));
  return true;
}

// An exception that leaves the engine is a failure of the runtime's own: this rank's job is over.
[[gnu::always_inline]] inline StepResult SimDriver::guarded_step(Engine& engine,
                                                                 std::uint32_t slot) {
  try {
    return engine.step(slot);
  } catch (...) {
    engine.report_failure("while its work ran");
    return {StepResult::Kind::stopped, never, clock_.now()};
  }
}

// Makes sure that timers and pollers act in time even if all workers are inside handlers, as the
// ThreadDriver's helper does.
void SimDriver::set_alarm(std::uint32_t index) {
  Rank& rank = *ranks_[index];
  if (!rank.idle.empty() || rank.engine.stopped())
    return;  // an idle worker has an alarm of its own
  const Instant due = std::max(rank.engine.next_due(), clock_.now());
  if (due >= rank.alarm) return;
  rank.alarm = due;
  schedule(due, index, arrival_slot, 0);
}

void SimDriver::turn(const SimEvent& event) {
  Rank& rank = *ranks_[event.engine];
  if (event.slot != arrival_slot) {
    Rank::Worker& worker = rank.workers[event.slot];
    if (worker.stopped || event.generation != worker.generation) return;
    if (worker.is_idle) rank.take_idle(event.slot);  // the event is the idle worker's alarm
    step(event.engine, event.slot);
    return;
  }
  if (clock_.now() >= rank.alarm) rank.alarm = never;
  if (idle_workers_look_first() && !rank.idle.empty() && !rank.engine.stopped()) {
    step(event.engine, rank.take_idle());
    return;
  }
  rank.engine.progress();
  wake(event.engine);  // an idle worker looks at what the arrival changed
  set_alarm(event.engine);
}

void SimDriver::step(std::uint32_t index, std::uint32_t slot) {
  Rank& rank = *ranks_[index];
  Rank::Worker& worker = rank.workers[slot];
  const StepResult result = guarded_step(rank.engine, slot);
  clock_.reset_offset();
  switch (result.kind) {
    case StepResult::Kind::ran: {
      Instant next = std::max(result.until, clock_.now());
      if (options_.step_jitter > Duration::zero()) {
        next += Duration(static_cast<std::int64_t>(
            random_.below(static_cast<std::uint64_t>(options_.step_jitter.count()))));
      }
      if (choices_ != nullptr) next += choices_->step_delay(index, slot);
      schedule(next, index, slot, ++worker.generation);
      break;
    }
    case StepResult::Kind::idle:
      worker.is_idle = true;
      rank.idle.push_back(slot);
      if (result.until != never) schedule(result.until, index, slot, worker.generation);
      break;
    case StepResult::Kind::stopped:
      worker.stopped = true;
      ended_ = std::max(ended_, clock_.now());
      if (++rank.stopped_workers == rank.workers.size()) --running_;
      break;
  }
  set_alarm(index);
}

}  // namespace roam::exec
