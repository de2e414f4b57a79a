// SPDX-License-Identifier: Apache-2.0
// Back end "tbb": oneTBB's task arena runs the ready tasks on its own threads; Roam tracks
// dependences. An item of the engine joins the arena and waits there, so that the rank is busy
// while tasks run.
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "roam/core/error.hpp"
#include "roam/flow/backend.hpp"
#include "roam/flow/core.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::flow {

namespace {

class TbbBackend final : public Backend, private exec::ReadyItem {
 public:
  explicit TbbBackend(Runtime& rank)
      : engine_(rank.engine()), arena_(static_cast<int>(rank.workers()), 1) {}
  ~TbbBackend() noexcept override { wait(); }

  void push(TaskRecord& task) override {
    pending_.fetch_add(1, std::memory_order_seq_cst);
    if (!is_driving_.exchange(true, std::memory_order_seq_cst)) engine_.push(this);
    arena_.enqueue(group_.defer([this, &task] {
      task.core().run(task);
      pending_.fetch_sub(1, std::memory_order_seq_cst);
    }));
  }
  // The arena lets a thread wait for a task but not take one; the engine's item helps instead.
  bool help() override { return false; }
  TaskRecord* take_back() override {
    wait();
    return nullptr;
  }

 private:
  void run(exec::Context& /*context*/) override {
    wait();
    // seq_cst: either this sees a task that has come, or the thread that pushed it sees that no
    // item drives the arena.
    is_driving_.store(false, std::memory_order_seq_cst);
    if (pending_.load(std::memory_order_seq_cst) > 0 &&
        !is_driving_.exchange(true, std::memory_order_seq_cst))
      engine_.push(this);
  }
  void drop() override {}
  void wait() {
    arena_.execute([this] { group_.wait(); });
  }

  exec::Engine& engine_;
  tbb::task_arena arena_;
  tbb::task_group group_;
  std::atomic<std::uint64_t> pending_{0};
  std::atomic<bool> is_driving_{false};
};

const BackendRegistrar registrar{
    {.name = "tbb",
     .description = "oneTBB's task arena, in real time alone",
     .create = [](Runtime& rank) -> std::unique_ptr<Backend> {
       if (rank.is_simulated()) {
         throw ConfigError(
             "--roam-flow-backend tbb: oneTBB's threads know no virtual time; use roam or serial");
       }
       return std::make_unique<TbbBackend>(rank);
     }}};

}  // namespace

}  // namespace roam::flow
