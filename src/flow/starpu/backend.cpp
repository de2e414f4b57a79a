// SPDX-License-Identifier: Apache-2.0
// Back end "starpu": each task becomes a task of StarPU, and each version of a datum a handle of
// StarPU without content, so that StarPU orders the tasks by their access modes. A task that waits
// for its children, or for something that is no task, has an end dependence, which Roam releases.
#include <starpu.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>

#include "flow/outside_work.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/backend.hpp"
#include "roam/flow/core.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::flow {

namespace {

/// StarPU's handles of a rank's data.
class Handles {
 public:
  ~Handles() noexcept { end_all(); }
  /// Makes them invalid; no task uses them any more.
  void end_all() noexcept {
    const std::lock_guard guard(mutex_);
    for (auto* const handle : all_) starpu_data_unregister_no_coherency(handle);
    all_.clear();
  }
  [[nodiscard]] starpu_data_handle_t add() {
    starpu_data_handle_t handle = nullptr;
    starpu_void_data_register(&handle);
    const std::lock_guard guard(mutex_);
    all_.insert(handle);
    return handle;
  }
  /// StarPU frees it when the tasks that use it are over.
  void remove(starpu_data_handle_t handle) {
    const std::lock_guard guard(mutex_);
    if (all_.erase(handle) > 0) starpu_data_unregister_submit(handle);
  }

 private:
  std::mutex mutex_;
  std::unordered_set<starpu_data_handle_t> all_;
};

/// The handle of an instance, which may outlive the back end.
class Handle final : public BackendNote {
 public:
  explicit Handle(std::shared_ptr<Handles> all) : all_(std::move(all)), data_(all_->add()) {}
  ~Handle() override { all_->remove(data_); }
  [[nodiscard]] starpu_data_handle_t data() const { return data_; }

 private:
  const std::shared_ptr<Handles> all_;
  _starpu_data_state* const data_;
};

class StarPuBackend;

/// A codelet that knows its back end: StarPU tells a function which codelet it is called for.
struct Codelet : starpu_codelet {
  StarPuBackend* backend = nullptr;
};

starpu_data_access_mode mode_of(DatumUse::Mode mode) {
  switch (mode) {
    case DatumUse::Mode::read:
      return STARPU_R;
    case DatumUse::Mode::commute:
      return static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
    case DatumUse::Mode::write:
      break;
  }
  return STARPU_RW;
}

// StarPU frees it.
template <class T>
void allocate(T*& array, std::size_t count) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): of handles, which are pointers
  array = static_cast<T*>(std::malloc(count * sizeof(T)));
  if (array == nullptr) throw std::bad_alloc();
}

class StarPuBackend final : public Backend, private Ordering {
 public:
  explicit StarPuBackend(Runtime& rank);
  ~StarPuBackend() noexcept override;

  void push(TaskRecord& task) override { start(*new_task(ready_codelet_, task), task); }
  // StarPU's workers alone run its tasks.
  bool help() override { return false; }
  TaskRecord* take_back() override {
    stop();
    return nullptr;
  }
  // What comes from other ranks is no task that StarPU knows.
  Ordering* ordering() override { return orders_tasks_ ? this : nullptr; }

 private:
  [[nodiscard]] bool orders_children() const override { return true; }
  void submit(TaskRecord& task, std::span<const DatumUse> uses, bool is_held) override;
  void end(TaskRecord& task) override;

  [[nodiscard]] static starpu_task* new_task(Codelet& codelet, TaskRecord& task);
  void start(starpu_task& task, TaskRecord& record);
  void hold(starpu_task& task, TaskRecord& record);
  template <class Chosen>
  void set_uses(starpu_task& task, std::span<const DatumUse> uses, Chosen is_chosen,
                starpu_data_access_mode (*mode)(const DatumUse&));
  template <void (StarPuBackend::*Run)(TaskRecord&)>
  static void call(void* /*buffers*/[], void* task);
  void run_ordered(TaskRecord& task);
  void run_ready(TaskRecord& task);
  void stop() noexcept;

  exec::Engine& engine_;
  const bool orders_tasks_;
  OutsideWork work_;
  const std::shared_ptr<Handles> handles_ = std::make_shared<Handles>();
  Codelet ordered_codelet_{};
  Codelet ready_codelet_{};
  Codelet barrier_codelet_{};
  std::atomic<std::uint64_t> uncalled_{0};  // tasks whose codelet has not returned
  std::atomic<bool> is_stopping_{false};    // written under mutex_
  std::mutex mutex_;
  std::unordered_set<starpu_task*> held_;  // under mutex_
};

template <void (StarPuBackend::*Run)(TaskRecord&)>
void StarPuBackend::call(void* /*buffers*/[], void* task) {
  StarPuBackend& backend = *static_cast<Codelet*>(starpu_task_get_current()->cl)->backend;
  const bool runs =
      !backend.is_stopping_.load(std::memory_order_relaxed) && !backend.engine_.stopped();
  if (runs) (backend.*Run)(*static_cast<TaskRecord*>(task));
  backend.uncalled_.fetch_sub(1, std::memory_order_release);
}

StarPuBackend::StarPuBackend(Runtime& rank)
    : engine_(rank.engine()), orders_tasks_(rank.size() == 1), work_(rank.engine()) {
  for (Codelet* const codelet : {&ordered_codelet_, &ready_codelet_, &barrier_codelet_}) {
    starpu_codelet_init(codelet);
    codelet->where = STARPU_CPU;
    codelet->nbuffers = STARPU_VARIABLE_NBUFFERS;
    codelet->backend = this;
  }
  ordered_codelet_.cpu_funcs[0] = &call<&StarPuBackend::run_ordered>;
  ready_codelet_.cpu_funcs[0] = &call<&StarPuBackend::run_ready>;
  ready_codelet_.nbuffers = 0;
  barrier_codelet_.where = STARPU_NOWHERE;
}

StarPuBackend::~StarPuBackend() noexcept {
  stop();
  if (orders_tasks_) {
    starpu_task_wait_for_all();
    handles_->end_all();
  }
  starpu_shutdown();
}

starpu_task* StarPuBackend::new_task(Codelet& codelet, TaskRecord& task) {
  starpu_task* const made = starpu_task_create();
  made->cl = &codelet;
  made->cl_arg = &task;
  made->name = task.name();
  if (task.priority() == Priority::high) made->priority = STARPU_MAX_PRIO;
  if (task.priority() == Priority::low) made->priority = STARPU_MIN_PRIO;
  return made;
}

// StarPU has failed if it has no worker for a task of the processor.
void StarPuBackend::start(starpu_task& task, TaskRecord& record) {
  work_.add();
  uncalled_.fetch_add(1, std::memory_order_relaxed);
  if (const int status = starpu_task_submit(&task); status != 0)
    throw Error("StarPU refuses " + record.describe() + ": error " + std::to_string(-status));
}

template <class Chosen>
void StarPuBackend::set_uses(starpu_task& task, std::span<const DatumUse> uses, Chosen is_chosen,
                             starpu_data_access_mode (*mode)(const DatumUse&)) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(uses, is_chosen));
  task.nbuffers = static_cast<int>(count);
  starpu_data_handle_t* handles = task.handles;
  starpu_data_access_mode* modes = task.modes;
  if (count > STARPU_NMAXBUFS) {
    allocate(task.dyn_handles, count);
    allocate(task.dyn_modes, count);
    handles = task.dyn_handles;
    modes = task.dyn_modes;
  }
  std::size_t next = 0;
  for (const DatumUse& use : uses) {
    if (!is_chosen(use)) continue;
    std::unique_ptr<BackendNote>& note = use.datum->backend_note();
    if (note == nullptr) note = std::make_unique<Handle>(handles_);
    handles[next] = static_cast<const Handle&>(*note).data();
    modes[next++] = mode(use);
  }
}

// A barrier, a task that does nothing, stands before the task if one of its uses has to be apart.
void StarPuBackend::submit(TaskRecord& task, std::span<const DatumUse> uses, bool is_held) {
  const auto is_apart = [](const DatumUse& use) { return use.is_apart; };
  if (std::ranges::any_of(uses, is_apart)) {
    starpu_task* const barrier = new_task(barrier_codelet_, task);
    set_uses(*barrier, uses, is_apart, [](const DatumUse&) { return STARPU_RW; });
    if (starpu_task_submit(barrier) != 0) throw Error("StarPU refuses a barrier");
  }
  starpu_task* const own = new_task(ordered_codelet_, task);
  const auto all = [](const DatumUse&) { return true; };
  set_uses(*own, uses, all, [](const DatumUse& use) { return mode_of(use.mode); });
  if (is_held) hold(*own, task);
  start(*own, task);
}

void StarPuBackend::hold(starpu_task& task, TaskRecord& record) {
  const std::lock_guard guard(mutex_);
  if (is_stopping_.load(std::memory_order_relaxed)) return;
  starpu_task_end_dep_add(&task, 1);
  held_.insert(&task);
  record.set_hold(&task);
}

void StarPuBackend::end(TaskRecord& task) {
  auto* const held = static_cast<starpu_task*>(task.hold());
  {
    const std::lock_guard guard(mutex_);
    if (held_.erase(held) == 0) return;
  }
  starpu_task_end_dep_release(held);
}

void StarPuBackend::run_ordered(TaskRecord& task) {
  const bool is_held = task.hold() != nullptr;
  work_.begin();
  work_.end(task.core().admitted(task));
  if (is_held) work_.make_way();  // it may have resumed the program
}

void StarPuBackend::run_ready(TaskRecord& task) {
  work_.begin();
  task.core().run(task);
  work_.end(true);
}

// Tasks that have not begun will not run: their codelet does nothing. Those that run may still
// issue others, which are not held.
void StarPuBackend::stop() noexcept {
  std::unordered_set<starpu_task*> held;
  {
    const std::lock_guard guard(mutex_);
    is_stopping_.store(true, std::memory_order_relaxed);
    held.swap(held_);
  }
  for (starpu_task* const task : held) starpu_task_end_dep_release(task);
  while (uncalled_.load(std::memory_order_acquire) > 0)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// StarPU is one for all ranks of a process, and counts how often it is initialised. It binds each
// worker to a core of its own, and complains if there are more.
std::unique_ptr<Backend> make(Runtime& rank) {
  if (rank.is_simulated()) {
    throw ConfigError(
        "--roam-flow-backend starpu: StarPU's threads know no virtual time; use roam or serial");
  }
  starpu_conf settings;
  starpu_conf_init(&settings);
  settings.ncpus = static_cast<int>(
      std::min<std::uint32_t>(rank.workers(), std::max(1U, std::thread::hardware_concurrency())));
  settings.ncuda = 0;
  settings.nopencl = 0;
  settings.catch_signals = 0;
  if (const int status = starpu_init(&settings); status != 0) {
    throw ConfigError("--roam-flow-backend starpu: StarPU does not start, error " +
                      std::to_string(-status));
  }
  return std::make_unique<StarPuBackend>(rank);
}

const BackendRegistrar registrar{
    {.name = "starpu",
     .description = "Tasks of StarPU, ordered by their access modes, in real time alone",
     .create = make}};

}  // namespace

}  // namespace roam::flow
