// SPDX-License-Identifier: Apache-2.0
// Back end "roam": the workers of the rank. A task that becomes ready is put into a lane of the
// worker that made it ready; the worker takes the newest first, and others steal the oldest. Items
// of the engine, at most one for each worker, run the tasks in the lanes, the most urgent first. In
// virtual time there is an item for each task.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "flow/turn.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/flow/backend.hpp"
#include "roam/flow/core.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::flow {

namespace {

// The most tasks that are stolen at once from another worker's lane.
constexpr std::size_t most_stolen = 16;

/// Ready tasks in a ring that grows.
class alignas(64) Lane {
 public:
  void push(TaskRecord& task) ROAM_EXCLUDES(lock_) {
    const core::LockGuard guard(lock_);
    if (end_ - begin_ == ring_.size()) grow();
    ring_[end_++ & mask()] = &task;
    // seq_cst: see WorkerBackend::push().
    size_.store(end_ - begin_, std::memory_order_seq_cst);
  }
  [[nodiscard]] TaskRecord* pop_newest() ROAM_EXCLUDES(lock_) {
    if (size() == 0) return nullptr;
    const core::LockGuard guard(lock_);
    if (begin_ == end_) return nullptr;
    TaskRecord* const task = ring_[--end_ & mask()];
    size_.store(end_ - begin_, std::memory_order_relaxed);
    return task;
  }
  /// Removes up to `most`, but no more than half of them, rounded up.
  [[nodiscard]] std::size_t pop_oldest(TaskRecord** to, std::size_t most) ROAM_EXCLUDES(lock_) {
    if (size() == 0) return 0;
    const core::LockGuard guard(lock_);
    const std::size_t count = std::min(most, (end_ - begin_ + 1) / 2);
    for (std::size_t i = 0; i < count; ++i) to[i] = ring_[begin_++ & mask()];
    size_.store(end_ - begin_, std::memory_order_relaxed);
    return count;
  }
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_seq_cst); }

 private:
  [[nodiscard]] std::size_t mask() const ROAM_REQUIRES(lock_) { return ring_.size() - 1; }
  void grow() ROAM_REQUIRES(lock_) {
    std::vector<TaskRecord*> larger(ring_.size() * 2);
    for (std::size_t i = begin_; i != end_; ++i)
      larger[i & (larger.size() - 1)] = ring_[i & mask()];
    ring_ = std::move(larger);
  }

  core::SpinLock lock_;
  std::vector<TaskRecord*> ring_ ROAM_GUARDED_BY(lock_) = std::vector<TaskRecord*>(64);
  std::size_t begin_ ROAM_GUARDED_BY(lock_) = 0;
  std::size_t end_ ROAM_GUARDED_BY(lock_) = 0;
  std::atomic<std::size_t> size_{0};  // written under lock_, read by any thread
};

class WorkerBackend final : public Backend {
 public:
  explicit WorkerBackend(Runtime& rank)
      : engine_(rank.engine()),
        is_virtual_(rank.is_simulated()),
        most_runners_(rank.workers()),
        slots_(rank.engine().slot_count()),
        lanes_(new Lane[priority_count * slots_]) {}

  void push(TaskRecord& task) override {
    // Counted before it is in the lane: a thread that sees the task also sees the count.
    if (task.priority() != Priority::normal)
      counts_[index(task.priority())].fetch_add(1, std::memory_order_relaxed);
    lane(engine_.this_slot(), task.priority()).push(task);
    if (is_virtual_) return engine_.push(new Runner(*this));
    // seq_cst: either a runner that is about to end sees the task, or this sees that it has ended.
    std::uint32_t runners = runners_.load(std::memory_order_seq_cst);
    while (runners < most_runners_) {
      if (runners_.compare_exchange_weak(runners, runners + 1, std::memory_order_seq_cst))
        return engine_.push(new Runner(*this));
    }
  }

  // Steals no more than one task: there may be nobody to run others.
  bool help() override {
    TaskRecord* const task = take(1);
    if (task == nullptr) return false;
    task->core().run(*task, true);
    return true;
  }

  TaskRecord* take_back() override { return take(1); }

 private:
  class Runner final : public exec::ReadyItem {
   public:
    explicit Runner(WorkerBackend& backend) : backend_(backend) {}
    void run(exec::Context& context) override {
      if (backend_.is_virtual_ ? backend_.run_one() : backend_.run_some(context)) {
        backend_.engine_.push(this);
      } else {
        delete this;
      }
    }
    void drop() override { delete this; }

   private:
    WorkerBackend& backend_;
  };

  [[nodiscard]] static std::size_t index(Priority priority) {
    return static_cast<std::size_t>(priority);
  }
  [[nodiscard]] Lane& lane(std::uint32_t slot, Priority priority) {
    return lanes_[index(priority) * slots_ + slot];
  }

  [[nodiscard]] TaskRecord* take(std::size_t most) {
    if (TaskRecord* const task = take_unusual(Priority::high)) return task;
    if (TaskRecord* const task = take_of(Priority::normal, most)) return task;
    return take_unusual(Priority::low);
  }

  [[nodiscard]] TaskRecord* take_unusual(Priority priority) {
    std::atomic<std::uint64_t>& count = counts_[index(priority)];
    if (count.load(std::memory_order_relaxed) == 0) [[likely]]
      return nullptr;
    TaskRecord* const task = take_of(priority, 1);
    if (task != nullptr) count.fetch_sub(1, std::memory_order_relaxed);
    return task;
  }

  [[nodiscard]] TaskRecord* take_of(Priority priority, std::size_t most) {
    const std::uint32_t own = engine_.this_slot();
    if (TaskRecord* const task = lane(own, priority).pop_newest()) return task;
    TaskRecord* stolen[most_stolen];
    for (std::uint32_t i = 1; i < slots_; ++i) {
      const std::size_t count = lane((own + i) % slots_, priority).pop_oldest(stolen, most);
      if (count == 0) continue;
      for (std::size_t k = count; k > 1; --k) lane(own, priority).push(*stolen[k - 1]);
      return stolen[0];
    }
    return nullptr;
  }

  // There may be no task, since a thread that issues tasks may have run the one that this item is
  // for.
  [[nodiscard]] bool run_one() {
    if (TaskRecord* const task = take(1)) task->core().run(*task);
    return false;
  }

  // Returns true if there may be more.
  [[nodiscard]] bool run_some(exec::Context& context) {
    // The trace has one entry for each item.
    const std::uint32_t most = engine_.is_observed() ? 1 : ~std::uint32_t{0};
    Turn turn(engine_);
    while (true) {
      TaskRecord* const task = take(most_stolen);
      if (task == nullptr) {
        context.runs = std::max<std::uint32_t>(1, turn.done());
        return !end_runner();
      }
      task->core().run(*task);
      if (turn.is_over() || turn.done() >= most) {
        context.runs = turn.done();
        return true;
      }
    }
  }

  // Returns true if this runner has ended.
  [[nodiscard]] bool end_runner() {
    runners_.fetch_sub(1, std::memory_order_seq_cst);
    for (std::size_t i = 0; i < priority_count * slots_; ++i) {
      if (lanes_[i].size() == 0) continue;
      std::uint32_t runners = runners_.load(std::memory_order_relaxed);
      while (runners < most_runners_) {
        if (runners_.compare_exchange_weak(runners, runners + 1, std::memory_order_seq_cst))
          return false;
      }
      return true;  // there are as many runners as allowed
    }
    return true;
  }

  exec::Engine& engine_;
  const bool is_virtual_;
  const std::uint32_t most_runners_;
  const std::uint32_t slots_;            // the engine's
  const std::unique_ptr<Lane[]> lanes_;  // for each slot, one per priority
  std::array<std::atomic<std::uint64_t>, priority_count>
      counts_{};  // number of tasks in the lanes, except those of normal priority
  std::atomic<std::uint32_t> runners_{0};
};

const BackendRegistrar registrar{
    {.name = "roam",
     .description = "The rank's workers, which take ready tasks from each other",
     .runs_on_workers = true,
     .create = [](Runtime& rank) -> std::unique_ptr<Backend> {
       return std::make_unique<WorkerBackend>(rank);
     }}};

}  // namespace

}  // namespace roam::flow
