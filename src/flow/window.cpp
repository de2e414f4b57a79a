// SPDX-License-Identifier: Apache-2.0
// The window of a Flow: how many tasks may be unfinished and how much memory they may hold, and
// what a thread that issues more does until it is less. It runs other tasks itself; it waits only
// while others run or may come from other ranks; and it issues the task in any case if neither
// applies. So no task waits for itself.
#include <algorithm>
#include <chrono>
#include <thread>

#include "flow/task_recorder.hpp"
#include "flow/turn.hpp"
#include "roam/flow/core.hpp"

namespace roam::flow {

namespace {

// How long a main program waits with a full window while nothing happens on this rank, before it
// issues one more task: other ranks may depend on what it does next.
constexpr Duration patience = std::chrono::milliseconds(10);
// Limit of nesting: tasks run inside issuing tasks, on one stack.
constexpr std::uint32_t deepest = 24;

}  // namespace

std::uint64_t Core::unfinished() const {
  // Completed tasks are counted before issued ones, as in Engine::unfinished().
  std::uint64_t completed = 0;
  std::uint64_t issued = 0;
  for (std::uint32_t i = 0; i < slot_count_; ++i)
    completed += slots_[i].completed.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < slot_count_; ++i)
    issued += slots_[i].issued.load(std::memory_order_acquire);
  return issued - completed;
}

FlowCounts Core::counts() const {
  FlowCounts counts;
  for (std::uint32_t i = 0; i < slot_count_; ++i)
    counts.tasks += slots_[i].issued.load(std::memory_order_relaxed);
  counts.window_stalls = stalls_.load(std::memory_order_relaxed);
  counts.byte_stalls = byte_stalls_.load(std::memory_order_relaxed);
  counts.run_inside = run_inside_.load(std::memory_order_relaxed);
  counts.overruns = overruns_.load(std::memory_order_relaxed);
  counts.copies = copy_counts_.copies.load(std::memory_order_relaxed);
  counts.copied_bytes = copy_counts_.bytes.load(std::memory_order_relaxed);
  counts.copies_refused = copy_counts_.refused.load(std::memory_order_relaxed);
  counts.replayed_tasks = graph_counts_.tasks.load(std::memory_order_relaxed);
  counts.graph_replays = graph_counts_.replays.load(std::memory_order_relaxed);
  counts.graph_fallbacks = graph_counts_.fallbacks.load(std::memory_order_relaxed);
  return counts;
}

// seq_cst: either this sees the waiting thread, or the waiting thread sees that this task is
// complete.
void Core::note_completed() {
  slot().completed.fetch_add(1, std::memory_order_seq_cst);
  if (all_done_.load(std::memory_order_seq_cst) == nullptr || unfinished() != 0) return;
  AllDone* const done = all_done_.exchange(nullptr, std::memory_order_acq_rel);
  if (done != nullptr) done->resume();
}

bool Core::wait_for_all(AllDone& done) {
  all_done_.store(&done, std::memory_order_seq_cst);
  engine_.preemption_point();
  if (unfinished() != 0) return true;
  return all_done_.exchange(nullptr, std::memory_order_acq_rel) == nullptr;
}

std::string AllDone::waits_for() const {
  return "the end of " + std::to_string(core_.unfinished()) + " tasks of a flow";
}
std::string AllDone::who() const {
  return execution() == nullptr ? "a coroutine" : execution()->describe();
}

void Core::hold(std::int64_t bytes) {
  Slot& slot = this->slot();
  if (!has_held_.load(std::memory_order_relaxed)) has_held_.store(true, std::memory_order_relaxed);
  slot.add(slot.held, bytes);
  if (bytes > 0 && slot.add(slot.held_since, bytes) >= check_bytes_)
    slot.look_at.store(0, std::memory_order_relaxed);
}

// While other threads change the counts, the sum may be below zero for a moment.
std::uint64_t Core::held_bytes() const {
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < slot_count_; ++i)
    sum += slots_[i].held.load(std::memory_order_relaxed);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
}

std::int64_t Core::expected_bytes(const char* type) {
  const TypeSizes::Entry* const entry = sizes_.of(type);
  const std::int64_t last =
      entry == nullptr ? TypeSizes::unknown : entry->bytes.load(std::memory_order_relaxed);
  // Chosen so that a job begins with some tasks of unknown size, and, with the default limit, with
  // a thousand of them: small ones shall not wait at the start.
  constexpr std::uint64_t most_expected = 1 << 20;
  const std::uint64_t expected = std::min(window_bytes_ / 16, most_expected);
  return last == TypeSizes::unknown ? static_cast<std::int64_t>(expected) : last;
}

void Core::look_at_window(Slot& slot, std::uint64_t issued, const Scope& scope) {
  slot.look_at.store(issued + check_interval_, std::memory_order_relaxed);
  slot.held_since.store(0, std::memory_order_relaxed);
  if (is_full()) wait_for_window(slot, scope.task());
}

void Core::wait_for_window(Slot& slot, const TaskRecord* issuer) {
  const Instant begin = recorder_ != nullptr ? engine_.now() : Instant(0);
  wait_for_window(slot, issuer != nullptr);
  if (recorder_ != nullptr) recorder_->stalled(issuer, begin, engine_.now());
}

bool Core::help(Slot& slot) {
  if (slot.depth.load(std::memory_order_relaxed) >= deepest) return false;
  slot.add(slot.depth, 1U);
  const bool helped = backend_->help();
  slot.add(slot.depth, ~0U);
  return helped;
}

bool Core::bodies_run() const {
  for (std::uint32_t i = 0; i < slot_count_; ++i) {
    if (slots_[i].running.load(std::memory_order_relaxed) > 0) return true;
  }
  return false;
}

void Core::wait_for_window(Slot& slot, bool is_nested) {
  stalls_.fetch_add(1, std::memory_order_relaxed);
  if (unfinished() < window_) byte_stalls_.fetch_add(1, std::memory_order_relaxed);
  if (is_nested) slot.add(slot.running, ~0U);
  const bool may_wait = !engine_.clock().is_virtual();
  const std::uint64_t room = window_ - window_ / 4;
  const std::uint64_t room_bytes = window_bytes_ - window_bytes_ / 4;
  Instant since = engine_.now();
  while (is_reached(room, room_bytes) && !engine_.stopped()) {
    // Runs several at a time, since counting unfinished tasks reads every slot.
    Turn turn(engine_);
    while (turn.done() <= window_ / 64 && help(slot) && !turn.is_over()) {
    }
    if (turn.done() > 0) {
      run_inside_.fetch_add(turn.done(), std::memory_order_relaxed);
      // Other ranks wait for what this one has to send, and tasks here for what comes.
      if (may_wait) engine_.help_progress();
      since = engine_.now();
      continue;
    }
    // The window is no longer full, and there is nothing to do here.
    if (!is_full()) break;
    bool is_moving = false;
    if (may_wait) {
      is_moving = bodies_run();
      if (!is_nested) {
        const bool ran = engine_.help_progress() > 0;
        is_moving = engine_.help_run(std::chrono::microseconds(20)) || ran || is_moving;
      }
    }
    if (is_moving) {
      since = engine_.now();
      std::this_thread::yield();
    } else if (!may_wait || is_nested || engine_.now() - since > patience) {
      overruns_.fetch_add(1, std::memory_order_relaxed);
      break;
    }
  }
  if (is_nested) slot.add(slot.running, 1U);
}

}  // namespace roam::flow
