// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/engine.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <span>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/exec/detail/single_scheduler.hpp"
#include "roam/exec/detail/stealing_scheduler.hpp"

namespace roam::exec {

namespace {

// A worker with plenty of ready work still looks at the network after this many steps, or this
// time.
constexpr std::uint32_t steps_between_progress = 32;
constexpr Duration time_between_progress = std::chrono::microseconds(20);
// How often a worker without work looks at the network for each look at the clock, which may cost
// as much.
constexpr int looks_per_idle_turn = 4;
// A worker with work returns to its driver after this many turns.
constexpr int turns_per_step = 16;

Duration thread_cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

std::unique_ptr<Scheduler> make_scheduler(const EngineOptions& options) {
  if (options.workers == 1) return std::make_unique<SingleScheduler>();
  return std::make_unique<StealingScheduler>(options.workers, options.seed);
}

}  // namespace

Engine::Engine(const EngineOptions& options, core::Clock& clock)
    : options_(options),
      clock_(clock),
      virtual_clock_(clock.is_virtual() ? static_cast<core::VirtualClock*>(&clock) : nullptr),
      ticks_(clock.tick_counter()),
      begin_(clock.now()),
      // In virtual time there is no thread that could be dedicated to communication.
      workers_make_progress_(options.progress != ProgressMode::dedicated || clock.is_virtual()),
      scheduler_(make_scheduler(options)),
      ready_(&scheduler_->ready_counts()),
      runs_in_push_order_(options.workers == 1),
      noise_(~options.seed) {
  for (std::uint32_t i = 0; i < options.workers + 2; ++i) {
    auto slot = std::make_unique<Slot>();
    slot->context.engine = this;
    slot->context.slot = i;
    // In virtual time one thread turns the workers of all ranks. What it has given back last is
    // what its caches hold, and the heap knows that better than thousands of workers do.
    if (i < options.workers && !clock.is_virtual()) {
      slot->spare_blocks = std::make_unique<SpareBlocks>();
      slot->context.spare_blocks = slot->spare_blocks.get();
    }
    slot->last_stamp = begin_;
    slots_.push_back(std::move(slot));
  }
}

Engine::~Engine() = default;

void Engine::set_scheduler(std::unique_ptr<Scheduler> scheduler) {
  scheduler_ = std::move(scheduler);
  ready_ = &scheduler_->ready_counts();
  runs_in_push_order_ = options_.workers == 1 && scheduler_->keeps_push_order();
}

void Engine::add_poller(Poller* poller) { pollers_.push_back(poller); }

void Engine::add_idle_poller(Poller* poller) { idle_pollers_.push_back(poller); }

void Engine::set_error_handler(std::function<void(const std::string&)> handler) {
  on_error_ = std::move(handler);
}

void Engine::set_failure_handler(std::function<void(const char*)> handler) {
  on_failure_ = std::move(handler);
}

void Engine::add_used(const void* begin, std::size_t bytes) { used_.push_back({begin, bytes}); }

void Engine::hold_work() {
  const std::lock_guard guard(held_lock_);
  holds_work_.store(true, std::memory_order_release);
}

void Engine::release_work() {
  std::vector<ReadyItem*> items;
  {
    const std::lock_guard guard(held_lock_);
    holds_work_.store(false, std::memory_order_release);
    items.swap(held_work_);
  }
  for (ReadyItem* item : items) push(item);
  held_count_.fetch_sub(items.size(), std::memory_order_release);
}

[[gnu::noinline]] bool Engine::hold_back(ReadyItem* item) {
  const std::lock_guard guard(held_lock_);
  if (!holds_work_.load(std::memory_order_relaxed) || item->priority == Priority::high) {
    return false;
  }
  held_count_.fetch_add(1, std::memory_order_relaxed);
  held_work_.push_back(item);
  return true;
}

[[gnu::flatten]] void Engine::push(ReadyItem* item) {
  if (holds_work_.load(std::memory_order_relaxed) && hold_back(item)) [[unlikely]]
    return;
  const std::uint32_t index = slot_of(detail::current_context);
  Slot& slot = *slots_[index];
  if (slot.runs_next) {
    run_next(slot, item);
  } else {
    push_to(index, item);
  }
}

void Engine::push_next(ReadyItem* item) {
  Slot& slot = *slots_[this_slot()];
  slot.pushed.store(slot.pushed.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  slot.next = item;
}

void Engine::push_to(std::uint32_t index, ReadyItem* item) {
  Slot& slot = *slots_[index];
  if (is_ahead_of_time()) {
    slot.pushed.fetch_add(1, std::memory_order_release);
    slot.held_pushes.push_back(item);
    return;
  }
  if (index == outside_slot()) {
    slot.pushed.fetch_add(1, std::memory_order_release);
  } else {
    slot.pushed.store(slot.pushed.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  push_now(slot, item);
}

void Engine::push_now(Slot& slot, ReadyItem* item) {
  scheduler_->push(slot.context.slot, item);
  if (waker_ != nullptr) waker_->wake();
}

void Engine::call_at(Instant when, std::function<void()> action) {
  timers_.add(when, std::move(action));
  if (waker_ != nullptr) waker_->wake();
}

std::uint64_t Engine::unfinished() const {
  // Finished first, pushed second: equal sums then mean that nothing was unfinished when the first
  // sum was complete.
  std::uint64_t finished = 0;
  std::uint64_t pushed = 0;
  for (const auto& slot : slots_) finished += slot->finished.load(std::memory_order_acquire);
  for (const auto& slot : slots_) pushed += slot->pushed.load(std::memory_order_acquire);
  return pushed - finished;
}

std::uint32_t Engine::busy_workers() const {
  std::uint32_t busy = 0;
  for (std::uint32_t w = 0; w < options_.workers; ++w)
    busy += slots_[w]->in_handler.load(std::memory_order_relaxed);
  return busy;
}

Duration Engine::idle_time() const {
  const Instant now = this->now();
  const std::uint32_t own = this_slot();
  Duration sum{0};
  for (std::uint32_t w = 0; w < options_.workers; ++w) {
    const WorkerStats& stats = slots_[w]->stats;
    const Duration idle = stats.idle();
    sum += idle;
    // In virtual time the statistics of other workers include all of their last run, whether it has
    // ended by now or not.
    if (is_busy(w) && (virtual_clock_ == nullptr || w == own)) continue;
    // What is not in the statistics of an idle worker is its idle time since they were written.
    const Instant written = begin_ + stats.busy() + stats.overhead() + idle;
    sum += std::max(now - written, Duration::zero());
  }
  return sum;
}

void Engine::note_finished(std::vector<std::uint64_t>& finished) const {
  finished.clear();
  for (std::uint32_t w = 0; w < options_.workers; ++w)
    finished.push_back(slots_[w]->finished.load(std::memory_order_acquire));
}

std::uint32_t Engine::busy_since(const std::vector<std::uint64_t>& finished) const {
  std::uint32_t busy = 0;
  for (std::uint32_t w = 0; w < options_.workers; ++w) {
    const bool is_inside = slots_[w]->in_handler.load(std::memory_order_relaxed);
    if (is_inside && slots_[w]->finished.load(std::memory_order_acquire) == finished[w]) ++busy;
  }
  return busy;
}

Instant Engine::next_due() const {
  Instant due = timers_.next_due();
  for (const auto* pollers : {&pollers_, &idle_pollers_}) {
    for (const Poller* poller : *pollers) due = std::min(due, poller->next_due());
  }
  return due;
}

[[gnu::always_inline]] inline std::size_t Engine::try_progress(Instant now, Slot* looking) {
  if (!progress_lock_.try_lock()) return 0;
  const core::LockGuard guard(progress_lock_, std::adopt_lock);
  looking_ = looking;
  // Another thread has made progress since this worker found nothing, and what that thread pushed
  // is older.
  if (looking != nullptr && ready_->outside.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    looking->runs_next = false;
    looking_ = nullptr;
  }
  progress_thread_.store(core::this_thread_tag(), std::memory_order_relaxed);
  last_progress_.store(now.count(), std::memory_order_relaxed);
  const std::size_t done = poll(now);
  progress_thread_.store(0, std::memory_order_relaxed);
  return done;
}

[[gnu::always_inline]] inline std::size_t Engine::poll(Instant now) {
  try {
    std::size_t done = timers_.run_due(now);
    for (Poller* poller : pollers_) done += poller->poll(now);
    return done != 0 ? done : poll_idle(now);
  } catch (...) {  // for example, a network that gave up
    report_failure("while making progress");
    return 0;
  }
}

std::size_t Engine::poll_idle(Instant now) {
  std::size_t done = 0;
  for (Poller* poller : idle_pollers_) done += poller->poll(now);
  return done;
}

std::size_t Engine::progress() {
  const Scope scope(&slots_[communication_slot()]->context);
  return try_progress(clock_.now());
}

std::size_t Engine::help_progress() {
  Context& context = slots_[this_slot()]->context;
  const Scope scope(&context);
  // Work done meanwhile does not belong to the epoch of the handler that is held back.
  const bool is_worker = context.slot < options_.workers;  // no other slot runs code of an epoch
  const std::uint64_t epoch = is_worker ? std::exchange(context.epoch, 0) : 0;
  const std::size_t done = try_progress(clock_.now());
  if (is_worker) context.epoch = epoch;
  return done;
}

void Engine::stop() {
  stopped_.store(true, std::memory_order_release);
  if (waker_ != nullptr) waker_->wake();
}

WorkingSet Engine::working_set() const {
  WorkingSet set;
  set.add(*this);
  set.add(*slots_[0]);
  set.add(std::span<const core::Owned<Slot>>(slots_));
  scheduler_->add_to(set);
  for (const auto* pollers : {&pollers_, &idle_pollers_}) {
    set.add(std::span<Poller* const>(*pollers));
    for (const Poller* poller : *pollers) poller->add_to(set);
  }
  services_.add_to(set);
  for (const Used& used : used_) set.add(used.begin, used.bytes);
  return set;
}

void Engine::drop_queued() {
  release_work();
  for (auto& slot : slots_) {
    if (slot->completes_item) complete(*slot);
    if (slot->next != nullptr) std::exchange(slot->next, nullptr)->drop();
  }
  while (ReadyItem* item = scheduler_->pop(0)) item->drop();
}

StepResult Engine::step(WorkerIndex worker) {
  Slot& slot = *slots_[worker];
  const Scope scope(&slot.context);
  if (slot.completes_item) complete(slot);
  const bool was_resting = slot.is_resting;
  if (was_resting) {  // whatever this step finds, the time until now was idle
    const Instant now = this->now();
    slot.stats.add_idle(now - slot.last_stamp);
    slot.last_stamp = now;
    slot.is_resting = false;
  }
  if (virtual_clock_ != nullptr
          ? turn<Time::simulated>(slot)
          : (ticks_.is_usable() ? turns<Time::counted>(slot) : turns<Time::asked_for>(slot)))
    return {StepResult::Kind::ran, slot.last_stamp, slot.last_stamp};
  if (stopped()) return {StepResult::Kind::stopped, never, slot.last_stamp};
  return rest(slot, was_resting);
}

// A worker that finds work goes on for some turns before it returns to its driver. One function
// contains all that a turn needs, because calls between several would cost as much as the turn.
template <Engine::Time T>
bool Engine::turns(Slot& slot) {
  for (int done = 0; done < turns_per_step; ++done) {
    if (!turn<T>(slot)) return done > 0;
  }
  return true;
}

template <Engine::Time T>
[[gnu::always_inline]] inline Instant Engine::time() const {
  return T == Time::counted ? ticks_.now() : clock_.now();
}

template <Engine::Time T>
[[gnu::always_inline]] inline bool Engine::turn(Slot& slot) {
  if (stopped()) return false;
  const Found found = next_item<T>(slot);
  if (found.item != nullptr) {
    run<T>(slot, found.item);
    return true;
  }
  if (found.progressed == 0) return false;
  const Instant now = time<T>();
  slot.stats.add_overhead(now - slot.last_stamp);
  slot.last_stamp = now;
  return true;
}

template <Engine::Time T>
[[gnu::always_inline]] inline Engine::Found Engine::next_item(Slot& slot) {
  // The time for timers and pollers. In real time the stamp is at most as old as the turn before.
  const Instant begin = T == Time::simulated ? time<T>() : slot.last_stamp;
  if (!workers_make_progress_) return {next_ready(slot), 0};
  if (T == Time::simulated || progress_is_due(slot)) return progress_and_next(slot, begin);
  ReadyItem* const item = next_ready(slot);
  return item != nullptr ? Found{item, 0} : look_for_work(slot, begin);
}

[[gnu::always_inline]] inline ReadyItem* Engine::next_ready(Slot& slot) {
  return slot.next != nullptr ? std::exchange(slot.next, nullptr) : pop(slot);
}

[[gnu::noinline]] Engine::Found Engine::progress_and_next(Slot& slot, Instant now) {
  slot.steps_since_progress = 0;
  const std::size_t progressed = try_progress(now);
  return {next_ready(slot), progressed};
}

[[gnu::always_inline]] inline bool Engine::progress_is_due(Slot& slot) const {
  return ++slot.steps_since_progress >= steps_between_progress ||
         slot.last_stamp - last_progress() > time_between_progress;
}

// A worker with nothing to do continues to look at the network for a while. The first look often
// finds the answer to what it has just sent.
[[gnu::always_inline]] inline Engine::Found Engine::look_for_work(Slot& slot, Instant now) {
  slot.steps_since_progress = 0;
  const std::size_t progressed = look_once(slot, now);
  if (slot.first_ready != nullptr) return {std::exchange(slot.first_ready, nullptr), progressed};
  return progressed > 0 ? Found{pop(slot), progressed} : look_again(slot, now);
}

[[gnu::always_inline]] inline std::size_t Engine::look_once(Slot& slot, Instant now) {
  slot.runs_next = true;
  const std::size_t progressed = try_progress(now, &slot);
  slot.runs_next = false;
  return progressed;
}

[[gnu::noinline]] Engine::Found Engine::look_again(Slot& slot, Instant now) {
  std::size_t progressed = 0;
  for (int look = 1; look < looks_per_idle_turn && progressed == 0; ++look) {
    progressed = look_once(slot, now);
    if (slot.first_ready != nullptr) return {std::exchange(slot.first_ready, nullptr), progressed};
  }
  return {pop(slot), progressed};
}

[[gnu::always_inline]] inline ReadyItem* Engine::pop(const Slot& slot) {
  // seq_cst: see Scheduler::ready_counts().
  if (ready_->all() == 0) return nullptr;
  return scheduler_->pop(slot.context.slot);
}

StepResult Engine::rest(Slot& slot, bool was_resting) {
  slot.is_resting = true;
  if (!was_resting) {  // otherwise it was stamped at the beginning, and the next turn's stamp ends
                       // this idle time
    const Instant now = this->now();
    slot.stats.add_idle(now - slot.last_stamp);
    slot.last_stamp = now;
  }
  // A worker that makes no progress has no timers and pollers to look after.
  return {StepResult::Kind::idle, workers_make_progress_ ? next_due() : never, slot.last_stamp};
}

template <Engine::Time T>
[[gnu::always_inline]] inline void Engine::run(Slot& slot, ReadyItem* item) {
  const Instant begin = time<T>();
  slot.stats.add_overhead(begin - slot.last_stamp);
  Context& context = slot.context;  // its execution and finished are nullptr between runs
  context.run_begin = begin;
  context.label = nullptr;
  context.runs = 1;
  context.subject = ObjectId();
  slot.in_handler.store(true, std::memory_order_relaxed);
  if (T == Time::simulated && options_.measured_time_factor != 0) [[unlikely]] {
    run_measured(*item, context);
  } else {
    item->run(context);
  }
  const Instant end = time<T>();
  context.run_time = end - context.run_begin;
  slot.stats.add_busy(end - begin, context.runs);
  slot.last_stamp = end;
  if (observer_ != nullptr) observe(slot, begin, end);
  context.execution = nullptr;
  if constexpr (T != Time::simulated) {
    if (context.finished != nullptr) std::exchange(context.finished, nullptr)->finish(context);
    end_item(slot);
  } else {
    slot.unfinished = std::exchange(context.finished, nullptr);
    slot.completes_item = true;
    virtual_clock_->reset_offset();
    slot.stats.add_overhead(options_.handler_overhead);
    slot.last_stamp = end + options_.handler_overhead;
  }
}

[[gnu::noinline]] void Engine::run_measured(ReadyItem& item, Context& context) {
  charged_until_ = thread_cpu_time();
  item.run(context);
  charge_measured_time();
}

[[gnu::noinline]] void Engine::charge_measured_time() {
  if (virtual_clock_ == nullptr) return;
  const Duration until = thread_cpu_time();
  compute(from_seconds(seconds(until - charged_until_) * options_.measured_time_factor));
  charged_until_ = until;
}

void Engine::observe(const Slot& slot, Instant begin, Instant end) {
  observer_->ran(slot.context, std::max(begin, slot.nested_until), end);
}

void Engine::complete(Slot& slot) {
  slot.completes_item = false;
  for (ReadyItem* item : slot.held_pushes) push_now(slot, item);
  slot.held_pushes.clear();
  if (slot.unfinished != nullptr) {
    Execution* ended = slot.unfinished;
    slot.unfinished = nullptr;
    ended->finish(slot.context);
  }
  end_item(slot);
}

void Engine::end_item(Slot& slot) {
  slot.in_handler.store(false, std::memory_order_relaxed);
  slot.finished.store(slot.finished.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

Duration Engine::simulated(Duration duration) {
  if (options_.speed == 1 && options_.noise == 0) return duration;
  const double factor = (1 + options_.noise * noise_.unit()) / options_.speed;
  return from_seconds(seconds(duration) * factor);
}

void Engine::compute(Duration duration) {
  if (virtual_clock_ != nullptr) {
    virtual_clock_->compute(simulated(duration));
    return;
  }
  const Duration end = thread_cpu_time() + duration;
  while (thread_cpu_time() < end) {
  }
}

// Code that is ahead of time is not preempted: others would act in its past. Whatever runs
// meanwhile is another thread, as far as the program can tell, and does not hold the progress lock.
void Engine::preempt() {
  if (is_ahead_of_time()) return;
  const core::ThreadTag progressing = progress_thread_.exchange(0, std::memory_order_relaxed);
  interleaver_->preempt();
  if (progressing != 0) progress_thread_.store(progressing, std::memory_order_relaxed);
}

void Engine::report_error(const std::string& report) {
  if (on_error_) on_error_(report);
}

void Engine::report_failure(const char* what) {
  if (on_failure_) {
    on_failure_(what);
  } else {
    report_error(std::string(what) + ": " + words_of(std::current_exception()));
  }
}

}  // namespace roam::exec
