// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/core.hpp"

#include <algorithm>
#include <utility>

#include "flow/countdown.hpp"
#include "flow/graph_run.hpp"
#include "flow/replay.hpp"
#include "flow/task_recorder.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/detail/distribution.hpp"
#include "roam/flow/detail/element_queue.hpp"
#include "roam/flow/detail/kept_elsewhere.hpp"

namespace roam::flow {

namespace {

// Number of tasks issued by a slot, or of bytes held by it, between two checks of the window; a
// check reads the counts of every slot.
template <class Number>
Number check_interval(Number window) {
  return std::max<Number>(1, window / 64);
}

// What an access does to which part: "modifies part [0, 10) of".
std::string use_in_words(const Access& access) {
  if (!is_part(access.effect)) return std::string(verb_of(access.effect));
  const PartUse range = range_of(access);
  return std::string(access.effect == Effect::part_read ? "reads" : "modifies") + " part [" +
         std::to_string(range.begin) + ", " + std::to_string(range.end - (range.has_none ? 1 : 0)) +
         ") of";
}

// Sets the running task in the context as long as it exists.
class Running {
 public:
  Running(TaskRecord& task, bool inside) : context_(exec::current()), inside_(inside) {
    if (context_ == nullptr) return;
    execution_ = std::exchange(context_->execution, &task);
    label_ = std::exchange(context_->label, task.name());
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (context_ == nullptr) return;
    context_->execution = inside_ ? execution_ : nullptr;
    if (inside_) context_->label = label_;
  }

 private:
  exec::Context* const context_;
  const bool inside_;
  exec::Execution* execution_ = nullptr;
  const char* label_ = nullptr;
};

// In virtual time: ends a task that ran inside another handler, once that handler's time is over.
class LateEnd final : public exec::ReadyItem {
 public:
  explicit LateEnd(TaskRecord& task) : task_(task) {}
  void run(exec::Context& /*context*/) override {
    task_.core().body_ended(task_);
    delete this;
  }
  void drop() override { delete this; }

 private:
  TaskRecord& task_;
};

}  // namespace

Core::Core(exec::Engine& engine, Backend* backend, const FlowOptions& options,
           TaskRecorder* recorder)
    : engine_(engine),
      backend_(backend),
      ordering_(backend == nullptr || engine.clock().is_virtual() ? nullptr : backend->ordering()),
      recorder_(recorder),
      window_(options.window),
      window_bytes_(options.window_bytes),
      check_interval_(check_interval(options.window)),
      check_bytes_(static_cast<std::int64_t>(check_interval(options.window_bytes))),
      slot_count_(engine.slot_count()),
      pool_(engine, *this),
      root_(*this, nullptr),
      slots_(new Slot[engine.slot_count()]) {
  slots_[engine.outside_slot()].is_shared = true;
  copy_counts_.quota = static_cast<std::int64_t>(options.copy_bytes);
}

// If the job has failed, destroys what still waits: tasks first, which may have data of their own.
Core::~Core() {
  pool_.for_each(BlockPool::Kind::task,
                 [](void* block) { delete static_cast<TaskRecord*>(block); });
  // Those that another one owns first, since each may be visited only once.
  pool_.for_each(BlockPool::Kind::instance,
                 [](void* block) { static_cast<Instance*>(block)->let_go_of_holder(); });
  pool_.for_each(BlockPool::Kind::instance,
                 [](void* block) { delete static_cast<Instance*>(block); });
}

std::vector<std::string> Core::awaited_elsewhere(std::size_t most) {
  std::vector<std::string> all;
  pool_.for_each(BlockPool::Kind::task, [&](void* block) {
    if (all.size() >= most) return;
    std::string one = static_cast<TaskRecord*>(block)->awaits_elsewhere();
    if (!one.empty()) all.push_back(std::move(one));
  });
  return all;
}

bool Core::is_over() const {
  return is_left_.load(std::memory_order_acquire) && data_.load(std::memory_order_acquire) == 0 &&
         unfinished() == 0;
}

void Core::begin_again() {
  is_left_.store(false, std::memory_order_relaxed);
  id_ = 0;
  operations_ = 0;
  distributions_.clear();
  if (graphs_ != nullptr) graphs_->forget();
}

void Core::add(std::shared_ptr<Distribution> one) {
  if (one->is_measured()) measures_.store(true, std::memory_order_relaxed);
  distributions_.push_back(std::move(one));
}

// --- issuing ---

namespace {

// Whether one of two accesses of a task prevents the other. A part without elements does not: it
// then waits for what the other one waits for.
bool is_given_twice(const Access& access, const Access& other) {
  return other.datum == access.datum && !other.has_instance &&
         (writes(access.effect) || writes(other.effect)) &&
         overlap(range_of(access), range_of(other)) && !range_of(access).has_none &&
         !range_of(other).has_none;
}

[[gnu::noinline]] bool can_be_given(Access& access, Access& other, bool is_tracked) {
  if (is_given_twice(access, other)) return false;
  // The gate of a PartLine must not wait for the same task.
  if (is_part(access.effect) != is_part(other.effect) && is_tracked)
    access.datum->instance().use_parts();
  for (Access* const one : {&access, &other}) {
    if (range_of(*one).has_none && overlap(range_of(access), range_of(other)))
      one->use->end = one->use->begin;
  }
  return true;
}

}  // namespace

// Throws an error that says which of admit()'s checks failed.
[[gnu::noinline]] void Core::refuse(TaskRecord& task) {
  const std::span<Access> accesses = task.accesses();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = accesses[i];
    if (access.has_instance) continue;
    const Datum& datum = *access.datum;
    const std::string does =
        task.describe() + " " + use_in_words(access) + " " + to_string(datum.label());
    if (&datum.scope() != &task.parent()) {
      throw Error(does +
                  ", which belongs to another scope: a task's children use what it was given as "
                  "Handle, and what it has made itself");
    }
    if (needs_value(access.effect) && !datum.is_written())
      throw Error(does + ", which no task has written and which was given no value");
    for (std::size_t k = 0; k < i; ++k) {
      if (!is_given_twice(access, accesses[k])) continue;
      const bool are_parts = is_part(access.effect) || is_part(accesses[k].effect);
      throw Error(
          task.describe() + " " + use_in_words(accesses[k]) + " and " + use_in_words(access) + " " +
          to_string(datum.label()) +
          (are_parts ? ": both are given to it, and overlap" : ", which it was given twice"));
    }
  }
}

// Checks first what types cannot express, then enters the accesses into instances.
void Core::admit(TaskRecord& task) {
  Access* const first = task.first_access();
  Access* const end = first + task.access_count_;
  bool is_fine = true;
  for (Access* access = first; access != end; ++access) {
    if (access->has_instance) continue;
    const Datum* const datum = access->datum;
    is_fine = is_fine && &datum->scope() == &task.parent_ &&
              (datum->is_written() || !needs_value(access->effect));
    for (Access* other = first; other != access; ++other) {
      if (other->datum != datum) [[likely]]
        continue;
      const bool is_tracked = !runs_at_once() && !is_ordered(task.parent_);
      is_fine = is_fine && can_be_given(*access, *other, is_tracked);
    }
  }
  if (!is_fine) [[unlikely]] {
    try {
      refuse(task);
    } catch (...) {
      for (Access* access = first; access != end; ++access) {
        if (access->effect == Effect::accumulate) delete access->partial;
      }
      delete &task;
      throw;
    }
  }
  for (Access* access = first; access != end; ++access) {
    if (std::exchange(access->has_instance, true)) continue;
    Datum& datum = *access->datum;
    if (writes(access->effect)) {
      datum.note_written();
      if (access->effect == Effect::overwrite && !runs_at_once()) {
        access->instance = &datum.fresh();
        continue;
      }
    }
    access->instance = &datum.instance();
  }
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->issued(task);
  if (task.parent_.graph() != nullptr) [[unlikely]]
    task.parent_.graph()->admitted();
}

Graphs& Core::graphs() {
  if (graphs_ == nullptr) graphs_ = std::make_unique<Graphs>();
  return *graphs_;
}

// A child belongs to what is cancelled if its parent was issued before.
void Core::note_cancellations(TaskRecord& task) const {
  task.cancellations_ = task.parent_.task() == nullptr
                            ? cancellations_.load(std::memory_order_relaxed)
                            : task.parent_.task()->cancellations_;
}

void Core::submit(TaskRecord* task) {
  note_cancellations(*task);
  GraphRun* const graph = task->parent_.graph();
  if (graph != nullptr && graph->withholds(*task, false)) return;
  track(*task, false);
}

// It may have arrived before it is tracked.
void Core::submit_expected(TaskRecord* task) {
  note_cancellations(*task);
  task->blockers_.store(2, std::memory_order_relaxed);
  GraphRun* const graph = task->parent_.graph();
  if (graph != nullptr && graph->withholds(*task, true)) return;
  track(*task, true);
}

void Core::track(TaskRecord& task, bool is_expected) {
  admit(task);
  Scope& scope = task.parent();
  Slot& slot = this->slot();
  const std::uint64_t issued = slot.add(slot.issued, std::uint64_t{1});
  if (scope.task() != nullptr) scope.begin(1);
  if (task.has_children_) static_cast<ParentTask&>(task).inner_.begin(1);
  if (runs_at_once()) return run_at_once(task);
  if (is_ordered(scope)) [[unlikely]] {
    if (!is_expected) task.blockers_.store(1, std::memory_order_relaxed);
    order(task, is_expected || task.has_children_);
    if (!is_expected && issued >= slot.look_at.load(std::memory_order_relaxed))
      look_at_window(slot, issued, scope);
    return;
  }
  const std::span<Access> accesses = task.accesses();
  const auto count = static_cast<std::uint32_t>(accesses.size());
  std::uint32_t there = 1;
  if (is_expected) {
    task.blockers_.fetch_add(count, std::memory_order_relaxed);
  } else {
    task.blockers_.store(count + 1, std::memory_order_relaxed);
  }
  for (Access& access : accesses) {
    if (access.instance->enter(access)) ++there;
    engine_.preemption_point();
  }
  unblock(task, there);
  if (!is_expected && issued >= slot.look_at.load(std::memory_order_relaxed))
    look_at_window(slot, issued, scope);
}

void Core::launch(Replay& replay, std::span<TaskRecord* const> tasks) {
  Slot& slot = this->slot();
  slot.add(slot.issued, std::uint64_t{tasks.size()});
  replay.launch(tasks, recorder_);
  if (!tasks.empty() && is_full()) wait_for_window(slot, nullptr);
}

bool Core::wait(TaskRecord& task) {
  Access& access = task.accesses().front();
  access.instance = &access.datum->instance();
  access.has_instance = true;
  if (runs_at_once()) return true;
  if (is_ordered(task.parent())) {
    order(task, true);
    return false;
  }
  task.blockers_.store(2, std::memory_order_relaxed);
  const std::uint32_t there = access.instance->enter(access) ? 2 : 1;
  engine_.preemption_point();
  return counts_to_zero(task.blockers_, there);
}

void Core::release(TaskRecord& task) {
  if (runs_at_once()) return;
  AccessList list;
  leave(task, list);
  end_hold(task);
  let_in(list);
}

void Core::unblock(TaskRecord& task, std::uint32_t blockers) {
  if (counts_to_zero(task.blockers_, blockers)) ready(task);
}

// A task that needs several data exclusively takes them in the order of their addresses, which
// prevents deadlocks.
bool Core::take_commuting(TaskRecord& task) {
  std::uint32_t order = 0;
  do {
    Access* next = nullptr;
    order = 0;
    for (Access& access : task.accesses()) {
      if (access.effect != Effect::commute) continue;
      std::uint32_t rank = 0;
      for (const Access& other : task.accesses()) {
        if (other.effect == Effect::commute && std::less<>()(other.instance, access.instance))
          ++rank;
      }
      if (rank == task.taken_) next = &access;
      ++order;
    }
    if (next == nullptr) return true;
    ++task.taken_;  // counted even if it is not there now, since it will be handed over
    if (!next->instance->take(*next)) return false;
  } while (task.taken_ < order);
  return true;
}

void Core::ready(TaskRecord& task) {
  if (task.waits_) return task.call();
  KeptElsewhere* const kept = kept_.load(std::memory_order_acquire);
  if (kept != nullptr && kept->has_any()) [[unlikely]] {
    if (!kept->is_all_here(task, task.is_queued_ ? task.queue() : nullptr)) return;
  }
  if (task.commutes_ && !task.is_ordered_ && !take_commuting(task)) return;
  if (task.is_queued_) [[unlikely]]
    return task.queue()->push(task);
  backend_->push(task);
}

// --- running ---

FailureRef Core::failure_of_inputs(TaskRecord& task) {
  for (Access& access : task.accesses()) {
    if (access.effect == Effect::overwrite) continue;
    if (access.effect != Effect::accumulate) {
      FailureRef failure = access.is_special ? access.instance->failure_of(access)
                                             : FailureRef(access.instance->failure());
      if (failure) return failure;
    }
    if (needs_value(access.effect) && access.instance->value() == nullptr) {
      return FailureRef(new Failure(engine_,
                                    task.describe() + " " + verb_of(access.effect) + " " +
                                        to_string(access.instance->label()) +
                                        ", which has no value: no task has given it one",
                                    nullptr));
    }
  }
  return {};
}

FailureRef Core::failed(TaskRecord& task) {
  const std::exception_ptr cause = std::current_exception();
  try {
    std::rethrow_exception(cause);
  } catch (const TaskFailed& other) {  // passed on unchanged
    return FailureRef(new Failure(engine_, other.what(), other.cause()));
  } catch (...) {
  }
  return FailureRef(new Failure(engine_, task.describe() + " failed: " + words_of(cause), cause));
}

void Core::pass_on(TaskRecord& task, const FailureRef& failure) {
  for (Access& access : task.accesses()) {
    if (access.effect == Effect::accumulate) {
      access.partial->failure = failure;
    } else if (access.effect == Effect::part_modify) {
      access.instance->set_part_failure(access, failure);
    } else if (writes(access.effect)) {
      access.instance->set_failure(failure);
    }
  }
}

// For a task that uses a datum without a value, or with a failure, as tasks do that give a datum
// its first value, or a datum of which parts are used: returns what prevents it from running, if
// anything.
[[gnu::noinline]] FailureRef Core::look_closer(TaskRecord& task) {
  FailureRef failure = failure_of_inputs(task);
  if (failure) return failure;
  for (Access& access : task.accesses()) {
    if (access.effect == Effect::overwrite) access.instance->recover(access);
  }
  return failure;
}

// Returns what prevents a task from running, if anything.
inline FailureRef Core::obstacle_of(TaskRecord& task) {
  bool is_fine = true;
  // Accumulating accesses do not read the value, to which others may be adding.
  for (const Access& access : task.accesses())
    is_fine = is_fine && !access.is_special && access.instance->is_fine();
  if (is_cancelled(task)) [[unlikely]]
    return cancellation();
  if (!is_fine) return look_closer(task);
  return {};
}

void Core::call(TaskRecord& task) {
  FailureRef failure = obstacle_of(task);
  if (!failure) {
    try {
      task.call();
    } catch (...) {
      failure = failed(task);
    }
    if (!failure) return;
  }
  fail(task, std::move(failure));
}

void Core::fail(TaskRecord& task, FailureRef failure) {
  task.cannot_run(failure);
  if (task.has_children_) {
    static_cast<ParentTask&>(task).failure_ = std::move(failure);
  } else {
    pass_on(task, failure);
  }
}

// The time of tasks run inside the body, because of a full window, does not count as the task's.
[[gnu::noinline]] void Core::call_measured(Slot& slot, TaskRecord& task, bool inside) {
  TaskRecord* measured = &task;
  while (measured != nullptr && !measured->is_measured_) measured = measured->parent().task();
  const std::int64_t inside_before = slot.inside_ns.load(std::memory_order_relaxed);
  engine_.add_measured_time();
  const Instant begin = engine_.now();
  call(task);
  engine_.add_measured_time();
  const Duration took = engine_.now() - begin;
  const std::int64_t inside_since = slot.inside_ns.load(std::memory_order_relaxed) - inside_before;
  if (inside) {
    slot.add(slot.inside_ns, took.count() - inside_since);
  }
  if (measured != nullptr) measured->took(took - Duration(inside_since));
}

void Core::run(TaskRecord& task, bool inside) {
  Slot& slot = this->slot();
  slot.add(slot.running, 1U);
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->began(task, engine_.this_slot(), engine_.now());
  {
    const Running running(task, inside);
    if (measures_.load(std::memory_order_relaxed)) [[unlikely]] {
      call_measured(slot, task, inside);
    } else {
      call(task);
    }
  }
  slot.add(slot.running, ~0U);
  engine_.preemption_point();
  if (!engine_.clock().is_virtual()) return body_ended(task);
  if (!inside) {
    exec::current()->finished = &task;
  } else if (engine_.is_ahead_of_time()) {
    engine_.push(new LateEnd(task));
  } else {
    body_ended(task);
  }
}

bool Core::begin_elsewhere(TaskRecord& task) {
  if (obstacle_of(task)) return false;
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->began(task, engine_.this_slot(), engine_.now());
  return true;
}

void Core::run_at_once(TaskRecord& task) {
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->began(task, engine_.this_slot(), engine_.now());
  for (Access& access : task.accesses())
    access.is_special = access.is_special || access.instance->has_part_failures();
  {
    const Running running(task, true);
    call(task);
  }
  body_ended(task);
}

void Core::body_ended(TaskRecord& task) {
  if (recorder_ != nullptr) [[unlikely]]
    recorder_->ended(task, engine_.now());
  TaskRecord* next = &task;
  while (next != nullptr) {
    if (next->has_children_) {
      auto& parent = static_cast<ParentTask&>(*next);
      if (!parent.inner_.end()) return;
      parent.take_back();
      if (parent.failure_) {
        pass_on(parent, parent.failure_);
      } else if (parent.repeats()) {
        parent.inner_.begin(1);
        if (!runs_at_once()) return backend_->push(parent);
        call(parent);
        continue;
      }
    }
    next = complete(*next);
  }
}

[[gnu::noinline]] void Core::yield_commuting(TaskRecord& task) {
  for (Access& access : task.accesses()) {
    if (access.effect != Effect::commute) continue;
    Access* const heir = access.instance->yield();
    if (heir != nullptr && take_commuting(heir->task())) backend_->push(heir->task());
  }
}

void Core::leave(TaskRecord& task, AccessList& let_in) {
  for (Access& access : task.accesses()) {
    Instance* const instance = access.instance;
    if (instance->leave(access, let_in)) delete instance;
    engine_.preemption_point();
  }
}

TaskRecord* Core::complete(TaskRecord& task) {
  TaskRecord* const parent = task.parent().task();
  Replay* const replay = task.is_ordered_ ? nullptr : task.belonging_.replay;
  const std::uint32_t node = task.node_;
  AccessList list;
  if (!runs_at_once()) {
    if (task.commutes_ && !task.is_ordered_) [[unlikely]]
      yield_commuting(task);
    if (replay == nullptr) leave(task, list);
    end_hold(task);
  } else {
    for (Access& access : task.accesses()) {
      if (access.effect != Effect::accumulate) continue;
      access.instance->add(*access.partial);
      delete access.partial;
    }
  }
  delete &task;
  if (replay != nullptr) replay->complete(node, list);
  let_in(list);
  note_completed();
  return parent;
}

void Core::let_in(AccessList& accesses) {
  while (Access* const access = accesses.pop_front()) {
    if (access->is_border) [[unlikely]] {
      let_in_specially(*access, accesses);
    } else {
      unblock(access->task(), 1);
    }
  }
}

[[gnu::noinline]] void Core::let_in_specially(Access& access, AccessList& accesses) {
  if (access.effect == Effect::parts) return access.instance->open_parts(accesses);
  if (access.offset == 0) return Replay::opened(access);
  // It belongs to a task: the first of those that may get a copy.
  access.is_border = false;
  access.instance->make_copy(access, accesses);
  unblock(access.task(), 1);
}

}  // namespace roam::flow
