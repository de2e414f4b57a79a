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
/// instance begin and end, it enters and leaves the instance as a task would (Border); among each
/// other, the tasks wait according to the edges of the plan. Launched by the main program,
/// completed by any thread, and used again once all tasks have ended.
class Replay {
 public:
  Replay(GraphPlan& plan, Core& core);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// Starts the tasks, which must be those of the plan in their order; their data must exist.
  /// Called by the main program alone.
  void launch(std::span<TaskRecord* const> tasks, TaskRecorder* recorder);
  /// Reports that a task has ended; its memory may have been freed. Adds to `let_in` the accesses
  /// that may begin now. Any thread.
  void complete(std::uint32_t node, AccessList& let_in);
  /// Reports that an access, which must be that of a Border, may begin. Any thread.
  static void opened(const Access& border);

 private:
  /// The use of an instance by all tasks of a span. `access` comes first: opened() finds the Border
  /// by its address.
  struct alignas(64) Border {
    Access access;
    Replay* replay = nullptr;
    std::uint32_t span = 0;
    std::uint32_t last_uses = 0;
    std::atomic<std::uint32_t> closing{0};  // its last uses that have not ended
    bool was_open = false;                  // the access could begin as soon as it entered
  };
  /// A node of the plan. `left`: what it still waits for. Whoever counts it to zero sets it back to
  /// `all`, for the next run.
  struct Node {
    std::atomic<std::uint32_t> left;
    std::uint32_t all : 31;
    std::uint32_t is_expected : 1;
    TaskRecord* task;  // nullptr: it is a join
  };
  /// The instance of a segment. Used by launch() alone.
  struct Segment {
    Instance* instance = nullptr;
    bool is_special = false;  // parts of it are used
    bool is_open = false;     // tasks that wait for what comes before need not wait
  };
  [[nodiscard]] std::uint32_t give_instances(TaskRecord& task, std::uint32_t node);
  void open(Datum& datum, const GraphUse& use);
  [[nodiscard]] std::uint32_t enter_parts(std::uint32_t node);
  [[nodiscard]] Border& border_of(std::uint32_t span, Instance& instance);
  void release(std::uint32_t node, std::uint32_t count);
  void start(const Node& node, std::uint32_t number);
  void close(std::span<const GraphUse> uses, AccessList& let_in);
  void one_is_over();

  GraphPlan& plan_;
  Core& core_;
  const bool has_parts_;
  const std::unique_ptr<Node[]> nodes_;
  const std::unique_ptr<Segment[]> segments_;
  const std::unique_ptr<Border[]> borders_;     // for each span
  const std::unique_ptr<PartUse[]> part_uses_;  // of the borders of parts, for each span
  // Number of tasks without successors that have not ended, and one more during launch().
  std::atomic<std::uint32_t> ends_{0};
};

}  // namespace roam::flow
