// SPDX-License-Identifier: Apache-2.0
// Back end "openmp": the tasks of main programs become OpenMP tasks with depend clauses, and the
// compiler's runtime orders them. Such clauses hold among the tasks that one and the same task
// creates, so that one thread creates all of them: it takes them from a queue. Tasks that other
// tasks issue are tracked by Roam, and become OpenMP tasks without clauses when they are ready.
//
// GCC's runtime runs a task inside the thread that creates it if more than 64 for each thread are
// unfinished. A task that waits for something else than tasks would block that thread, and one that
// makes others ready would nest. Therefore fewer exist at a time.
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flow/outside_work.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/backend.hpp"
#include "roam/flow/core.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::flow {

namespace {

/// Counts unfinished OpenMP tasks, of which not too many may exist.
class Unfinished {
 public:
  explicit Unfinished(std::int64_t most) : most_(most) {}
  [[nodiscard]] bool has_room() const { return count_.load(std::memory_order_relaxed) < most_; }
  void add() { count_.fetch_add(1, std::memory_order_relaxed); }
  /// Returns true if half of the room is free now.
  [[nodiscard]] bool remove() {
    return count_.fetch_sub(1, std::memory_order_relaxed) == most_ / 2;
  }

 private:
  const std::int64_t most_;
  std::atomic<std::int64_t> count_{0};
};

/// What ends a task that is held. Under the lock of HeldTasks.
struct Held {
  omp_event_handle_t event{};
  bool has_begun = false;  // true: the event is there
};

/// The tasks that are held: OpenMP has a task for over when its event has been fulfilled.
class HeldTasks {
 public:
  [[nodiscard]] Held* add() {
    auto held = std::make_unique<Held>();
    Held* const one = held.get();
    const std::lock_guard guard(mutex_);
    all_.emplace(one, std::move(held));
    return one;
  }
  /// Returns false if all have been ended; then the caller has to fulfil the event.
  [[nodiscard]] bool begin(Held* held, omp_event_handle_t event) {
    const std::lock_guard guard(mutex_);
    if (are_ended_) return false;
    held->event = event;
    held->has_begun = true;
    return true;
  }
  /// Returns false if it had ended before.
  bool end(Held* held) {
    omp_event_handle_t event{};
    {
      const std::lock_guard guard(mutex_);
      if (are_ended_) return false;
      const auto place = all_.find(held);
      event = place->second->event;
      all_.erase(place);
    }
    omp_fulfill_event(event);
    return true;
  }
  /// Ends those that have begun; others end as soon as they begin.
  void end_all() {
    const std::lock_guard guard(mutex_);
    are_ended_ = true;
    for (const auto& [key, held] : all_) {
      if (held->has_begun) omp_fulfill_event(held->event);
    }
    all_.clear();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Held*, std::unique_ptr<Held>> all_;
  bool are_ended_ = false;
};

/// A task with clauses that is to be created.
struct Order {
  TaskRecord* task;
  Held* held;         // nullptr: it is not held
  std::size_t first;  // of its data, which it reads, writes and commutes on
  int read;
  int written;
  int commuting;
};

/// Tasks in the order in which they were submitted, and barriers: tasks that do nothing.
struct Batch {
  std::vector<Order> orders;
  std::vector<char*> data;  // in clauses, an address stands for a datum
};

// The most unfinished tasks for each thread.
constexpr std::int64_t most_ordered = 32;
constexpr std::int64_t most_ready = 24;

class OpenMpBackend final : public Backend, private Ordering {
 public:
  explicit OpenMpBackend(Runtime& rank)
      : engine_(rank.engine()),
        orders_tasks_(rank.size() == 1),
        threads_(static_cast<int>(rank.workers()) + 1),
        work_(rank.engine()),
        ordered_(most_ordered * threads_),
        ready_(most_ready * threads_),
        thread_([this] { create_tasks(); }) {}
  ~OpenMpBackend() noexcept override { stop(); }

  // A thread that runs a task creates others itself.
  void push(TaskRecord& task) override {
    work_.add();
    if (omp_in_parallel() != 0 && ready_.has_room()) return create_ready(task);
    const std::lock_guard guard(mutex_);
    pushed_.push_back(&task);
    if (is_asleep_) changed_.notify_one();
  }
  // OpenMP lets a thread wait for tasks but not take one.
  bool help() override { return false; }
  TaskRecord* take_back() override {
    stop();
    return nullptr;
  }
  // What comes from other ranks is no task that OpenMP knows.
  Ordering* ordering() override { return orders_tasks_ ? this : nullptr; }

 private:
  [[nodiscard]] bool orders_children() const override { return false; }
  void submit(TaskRecord& task, std::span<const DatumUse> uses, bool is_held) override;
  void end(TaskRecord& task) override {
    if (held_.end(static_cast<Held*>(task.hold()))) one_is_over(ordered_);
  }

  void create_tasks();
  [[nodiscard]] bool look(TaskRecord*& ready);
  void create(const Order& order);
  void create_ready(TaskRecord& task);
  void run_ordered(TaskRecord* task);
  void run_held(TaskRecord& task, Held* held, omp_event_handle_t event);
  void run_ready(TaskRecord& task);
  [[nodiscard]] bool runs_no_more() const {
    return is_stopping_.load(std::memory_order_relaxed) || engine_.stopped();
  }
  void one_is_over(Unfinished& of);
  void stop();

  exec::Engine& engine_;
  const bool orders_tasks_;
  const int threads_;  // of the team: the one that creates tasks, and those that run them
  OutsideWork work_;
  Unfinished ordered_;  // tasks with clauses
  Unfinished ready_;    // without
  HeldTasks held_;

  std::mutex mutex_;
  std::condition_variable changed_;  // the thread that creates tasks waits for it
  bool is_asleep_ = false;           // it does; under mutex_, as the next two
  Batch submitted_;
  std::deque<TaskRecord*> pushed_;
  std::atomic<bool> is_stopping_{false};  // written under mutex_
  // Of the thread that creates tasks:
  Batch batch_;
  std::size_t next_ = 0;  // of batch_
  std::thread thread_;    // the last member, since it uses the others
};

// A barrier stands before the task if one of its uses has to be apart.
void OpenMpBackend::submit(TaskRecord& task, std::span<const DatumUse> uses, bool is_held) {
  using Mode = DatumUse::Mode;
  Held* const held = is_held ? held_.add() : nullptr;
  task.set_hold(held);
  work_.add();
  const std::lock_guard guard(mutex_);
  std::vector<char*>& data = submitted_.data;
  const auto append = [&](auto has) {
    const std::size_t before = data.size();
    for (const DatumUse& use : uses) {
      if (has(use)) data.push_back(reinterpret_cast<char*>(use.datum));
    }
    return static_cast<int>(data.size() - before);
  };
  std::size_t first = data.size();
  if (const int apart = append([](const DatumUse& use) { return use.is_apart; }); apart > 0) {
    submitted_.orders.push_back({nullptr, nullptr, first, 0, apart, 0});
    first = data.size();
  }
  const int read = append([](const DatumUse& use) { return use.mode == Mode::read; });
  const int written = append([](const DatumUse& use) { return use.mode == Mode::write; });
  const int commuting = append([](const DatumUse& use) { return use.mode == Mode::commute; });
  submitted_.orders.push_back({&task, held, first, read, written, commuting});
  if (is_asleep_) changed_.notify_one();
}

// The other threads of the team run tasks while they wait for the end of `single`.
void OpenMpBackend::create_tasks() {
#pragma omp parallel num_threads(threads_)
#pragma omp single
  {
    TaskRecord* ready = nullptr;
    while (look(ready)) {
      if (ready != nullptr) create_ready(*ready);
      while (next_ < batch_.orders.size() && ordered_.has_room()) create(batch_.orders[next_++]);
    }
    held_.end_all();  // by a thread of the team, which then waits for the tasks
  }
}

// Waits until tasks may be created. Returns false if there will be none any more.
bool OpenMpBackend::look(TaskRecord*& ready) {
  // Half of the room may never be free, if tasks wait for something else than tasks.
  constexpr std::chrono::milliseconds longest_wait{1};
  ready = nullptr;
  std::unique_lock lock(mutex_);
  while (!is_stopping_.load(std::memory_order_relaxed)) {
    const bool has_ordered = next_ < batch_.orders.size() || !submitted_.orders.empty();
    if (!pushed_.empty() && ready_.has_room()) {
      ready = pushed_.front();
      pushed_.pop_front();
    } else if (!has_ordered || !ordered_.has_room()) {
      is_asleep_ = true;
      if (has_ordered || !pushed_.empty()) {
        changed_.wait_for(lock, longest_wait);
      } else {
        changed_.wait(lock);
      }
      is_asleep_ = false;
      continue;
    }
    if (next_ == batch_.orders.size()) {
      batch_.orders.clear();
      batch_.data.clear();
      next_ = 0;
      std::swap(batch_, submitted_);
    }
    return true;
  }
  return false;
}

void OpenMpBackend::create(const Order& order) {
  ordered_.add();
  char* const* const read = batch_.data.data() + order.first;
  char* const* const written = read + order.read;
  char* const* const commuting = written + order.written;
  TaskRecord* const task = order.task;
  Held* const held = order.held;
  // clang-format off
  if (held == nullptr) {
#pragma omp task firstprivate(task) \
    depend(iterator(int k = 0 : order.read), in : *read[k]) \
    depend(iterator(int k = 0 : order.written), inout : *written[k]) \
    depend(iterator(int k = 0 : order.commuting), mutexinoutset : *commuting[k])
    run_ordered(task);
  } else {
    omp_event_handle_t event{};
#pragma omp task detach(event) firstprivate(task, held) \
    depend(iterator(int k = 0 : order.read), in : *read[k]) \
    depend(iterator(int k = 0 : order.written), inout : *written[k]) \
    depend(iterator(int k = 0 : order.commuting), mutexinoutset : *commuting[k])
    run_held(*task, held, event);
  }
  // clang-format on
}

void OpenMpBackend::create_ready(TaskRecord& task) {
  ready_.add();
  TaskRecord* const one = &task;
#pragma omp task firstprivate(one)
  run_ready(*one);
}

void OpenMpBackend::run_ordered(TaskRecord* task) {
  if (task != nullptr && !runs_no_more()) {
    work_.begin();
    work_.end(task->core().admitted(*task));
  }
  one_is_over(ordered_);
}

// The event may be fulfilled before this returns.
void OpenMpBackend::run_held(TaskRecord& task, Held* held, omp_event_handle_t event) {
  if (!held_.begin(held, event)) return omp_fulfill_event(event);
  if (runs_no_more()) return;  // until stop()
  work_.begin();
  work_.end(task.core().admitted(task));
  work_.make_way();  // it may have resumed the program
}

void OpenMpBackend::run_ready(TaskRecord& task) {
  if (!runs_no_more()) {
    work_.begin();
    task.core().run(task);
    work_.end(true);
  }
  one_is_over(ready_);
}

void OpenMpBackend::one_is_over(Unfinished& of) {
  if (!of.remove()) return;
  const std::lock_guard guard(mutex_);
  if (is_asleep_) changed_.notify_one();
}

// Tasks that have not begun will not run.
void OpenMpBackend::stop() {
  {
    const std::lock_guard guard(mutex_);
    is_stopping_.store(true, std::memory_order_relaxed);
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

std::unique_ptr<Backend> make(Runtime& rank) {
  if (rank.is_simulated()) {
    throw ConfigError(
        "--roam-flow-backend openmp: OpenMP's threads know no virtual time; use roam or serial");
  }
  if (const auto needed = static_cast<int>(rank.workers()) + 1; omp_get_thread_limit() < needed) {
    throw ConfigError("--roam-flow-backend openmp: it needs " + std::to_string(needed) +
                      " threads, one more than there are workers; OMP_THREAD_LIMIT is " +
                      std::to_string(omp_get_thread_limit()));
  }
  return std::make_unique<OpenMpBackend>(rank);
}

const BackendRegistrar registrar{
    {.name = "openmp",
     .description = "OpenMP tasks, ordered by depend clauses, in real time alone",
     .create = make}};

}  // namespace

}  // namespace roam::flow
