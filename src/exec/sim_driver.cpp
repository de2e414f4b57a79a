// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/sim_driver.hpp"

#include <algorithm>

namespace roam::exec {

/// One engine and the state of its workers: each either has a turn in the heap or is idle, perhaps
/// with an alarm.
class SimDriver::Rank final : public Waker {
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
  ++running_;
}

void SimDriver::schedule(Instant when, std::uint32_t engine, std::uint32_t slot,
                         std::uint32_t generation) {
  const std::uint64_t order = options_.shuffle_ties ? random_() : ordered_++;
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

bool SimDriver::run() {
  for (std::uint32_t i = 0; i < ranks_.size(); ++i) wake(i);
  while (running_ > 0) {
    if (heap_.empty()) return false;
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Event event = heap_.back();
    heap_.pop_back();
    clock_.set(Instant(event.when));
    turn(event);
    ++events_;
    if (interruption_) interruption_(events_);
  }
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
