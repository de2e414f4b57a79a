// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "roam/exec/engine.hpp"

namespace roam::flow {

/// Counts the tasks of a rank that another runtime has in its hands, and keeps the rank busy while
/// there are any: an item of the engine is queued or waits on a worker, for a short time each.
///
/// A task that waits for something else than tasks, as a fetch does, can last for ever, and so can
/// those that use what it writes. Where there has been one, the rank is not kept busy any longer
/// once nothing has begun or ended for ten seconds while no task runs: then a stuck job is reported
/// as such.
class OutsideWork final : private exec::ReadyItem {
 public:
  explicit OutsideWork(exec::Engine& engine) : engine_(engine) {}

  /// Reports that the other runtime has been given a task. Any thread.
  void add();
  /// Reports that it calls a task. Any thread.
  void begin() { begun_.fetch_add(1, std::memory_order_relaxed); }
  /// Reports that this call has returned. `has_run`: false if the task still waits; it is added
  /// again when it is pushed. Any thread.
  void end(bool has_run);
  /// Lets other items run on the worker that waits here. Any thread.
  void make_way();

 private:
  void run(exec::Context& context) override;
  void drop() override {}
  [[nodiscard]] bool keeps_busy();

  exec::Engine& engine_;
  // Numbers of calls: of a task more have been added than ended, and of one that runs more begun.
  std::atomic<std::uint64_t> added_{0};
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> ended_{0};
  std::atomic<bool> has_waiting_{false};  // true once a task has waited for something else
  std::atomic<bool> is_queued_{false};    // or running
  // Used by the worker that runs the item:
  std::uint64_t calls_seen_ = 0;
  Instant last_change_{0};
  // Whether a worker waits for changed_, and has to go on.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool must_go_on_ = false;
};

}  // namespace roam::flow
