// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/sim_driver.hpp"

#include <algorithm>

namespace roam::exec {

namespace {
// Preempted inside preempted: deep enough for three threads in one another's way.
constexpr std::uint32_t deepest_nesting = 3;
}  // namespace

/// One engine and the state of its workers: each either has a turn in the heap or is idle, perhaps
/// with an alarm.
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
  void wake() override { driver_.wake(index_); }
  void preempt() override { driver_.preempt(index_); }

  Engine& engine;
  std::vector<Worker> workers;
  std::vector<std::uint32_t> idle;  // idle workers, last idle first to be woken
  std::size_t stopped_workers = 0;
  Instant alarm = never;  // of the pollers, while all workers are busy

 private:
  SimDriver& driver_;
  std::uint32_t index_;
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
  if (choices_ != nullptr) order += std::uint64_t{choices_->tie(engine, slot)} << 32U;
  heap_.push_back({std::max(when, clock_.now()).count(), order, engine, slot, generation});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void SimDriver::arrival(std::size_t index, Instant when) {
  const auto engine = static_cast<std::uint32_t>(index);
  schedule(when, engine, ranks_[index]->engine.communication_slot(), 0);
}

void SimDriver::wake(std::uint32_t index) {
  Rank& rank = *ranks_[index];
  if (rank.engine.stopped()) {
    while (!rank.idle.empty()) {
      const std::uint32_t worker = rank.idle.back();
      rank.idle.pop_back();
      rank.workers[worker].is_idle = false;
      schedule(clock_.now(), index, worker, ++rank.workers[worker].generation);
    }
    return;
  }
  if (rank.idle.empty()) return;
  const std::uint32_t worker = rank.idle.back();
  rank.idle.pop_back();
  rank.workers[worker].is_idle = false;
  schedule(clock_.now(), index, worker, ++rank.workers[worker].generation);
}

SimDriver::Event SimDriver::take_event(std::size_t place) {
  if (place == 0) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Event first = heap_.back();
    heap_.pop_back();
    return first;
  }
  const Event event = heap_[place];
  heap_[place] = heap_.back();
  heap_.pop_back();
  std::make_heap(heap_.begin(), heap_.end(), later);
  return event;
}

// Nested events may have taken time further than this one's.
void SimDriver::happen(const Event& event) {
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
  for (std::uint32_t i = 0; i < ranks_.size(); ++i) wake(i);
  while (running_ > 0) {
    if (heap_.empty()) return false;
    const Event event = take_event(0);
    happen(event);
    if (interruption_) interruption_(events_);
    if (choices_ != nullptr && !choices_->between_events(event.engine, events_)) return false;
  }
  return true;
}

// Outside of run() nothing happens: when a job is taken down, some ranks are gone already.
// The preempted worker has no turn in the heap: it goes on when this returns, later.
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
  // What came for it meanwhile could not be taken in if the preempted code makes progress itself.
  if (happened) arrival(index, clock_.now());
}

bool SimDriver::run_nested(std::uint32_t index, bool same_rank, Instant latest) {
  std::size_t place = 0;
  if (same_rank) {
    place = heap_.size();
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      if (heap_[i].engine == index && (place == heap_.size() || later(heap_[place], heap_[i])))
        place = i;
    }
  }
  if (place >= heap_.size() || Instant(heap_[place].when) > latest) return false;
  happen(take_event(place));
  return true;
}

// What is due is done in time even if all workers are inside handlers, as the ThreadDriver's helper
// sees to.
void SimDriver::set_alarm(std::uint32_t index) {
  Rank& rank = *ranks_[index];
  if (!rank.idle.empty() || rank.engine.stopped())
    return;  // an idle worker has an alarm of its own
  const Instant due = std::max(rank.engine.next_due(), clock_.now());
  if (due >= rank.alarm) return;
  rank.alarm = due;
  schedule(due, index, rank.engine.communication_slot(), 0);
}

void SimDriver::turn(const Event& event) {
  Rank& rank = *ranks_[event.engine];
  if (event.slot == rank.engine.communication_slot()) {
    if (clock_.now() >= rank.alarm) rank.alarm = never;
    rank.engine.progress();
    wake(event.engine);  // an idle worker looks at what the arrival changed
    set_alarm(event.engine);
    return;
  }
  Rank::Worker& worker = rank.workers[event.slot];
  if (worker.stopped || event.generation != worker.generation) return;
  if (worker.is_idle) {  // its alarm
    worker.is_idle = false;
    std::erase(rank.idle, event.slot);
  }
  const StepResult result = rank.engine.step(event.slot);
  clock_.reset_offset();
  switch (result.kind) {
    case StepResult::Kind::ran: {
      Instant next = std::max(result.until, clock_.now());
      if (options_.step_jitter > Duration::zero()) {
        next += Duration(static_cast<std::int64_t>(
            random_.below(static_cast<std::uint64_t>(options_.step_jitter.count()))));
      }
      if (choices_ != nullptr) next += choices_->step_delay(event.engine, event.slot);
      schedule(next, event.engine, event.slot, ++worker.generation);
      break;
    }
    case StepResult::Kind::idle:
      worker.is_idle = true;
      rank.idle.push_back(event.slot);
      if (result.until != never)
        schedule(result.until, event.engine, event.slot, worker.generation);
      break;
    case StepResult::Kind::stopped:
      worker.stopped = true;
      if (++rank.stopped_workers == rank.workers.size()) --running_;
      break;
  }
  set_alarm(event.engine);
}

}  // namespace roam::exec
