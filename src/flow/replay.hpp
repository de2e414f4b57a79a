// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "flow/graph_plan.hpp"
#include "roam/flow/core.hpp"

namespace roam::flow {

/// One run of the tasks of a GraphPlan: counters in place of tracking. Where the graph's uses of an
/// instance begin and end, it enters and leaves it as a task would (Border); among each other, the
/// tasks wait by the edges of the plan. Launched by the main program, completed by any thread. Used
/// again when all tasks are over.
class Replay {
 public:
  Replay(GraphPlan& plan, Core& core);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// All tasks of the plan, which they match; their accesses have data, which live. By the main
  /// program.
  void launch(std::span<TaskRecord* const> tasks, TaskRecorder* recorder);
  /// A task is over, and its memory may be gone. Adds accesses that are let in. Any thread.
  void complete(std::uint32_t node, AccessList& let_in);
  /// The access, which is that of a border, is let in. Any thread.
  static void opened(const Access& border);

 private:
  /// The use of an instance by all tasks of a span. It begins with its access, which tells it.
  struct alignas(64) Border {
    Access access;
    Replay* replay = nullptr;
    std::uint32_t span = 0;
    bool was_open = false;  // when it was entered
  };
  void begin();
  [[nodiscard]] std::uint32_t give_instances(TaskRecord& task, std::uint32_t node);
  void release(std::uint32_t node, std::uint32_t count);
  void close(std::uint32_t node, AccessList& let_in);
  void one_is_over();

  GraphPlan& plan_;
  Core& core_;
  const std::unique_ptr<std::atomic<std::uint32_t>[]> counts_;  // of each node: missing
  const std::unique_ptr<TaskRecord*[]> tasks_;
  const std::unique_ptr<Instance*[]> instances_;                 // of each segment
  const std::unique_ptr<std::atomic<std::uint32_t>[]> closing_;  // of each span: last uses left
  const std::unique_ptr<Border[]> borders_;                      // of each span
  std::atomic<std::uint32_t> ends_{0};  // tasks without successors that are not over, and launching
};

}  // namespace roam::flow
