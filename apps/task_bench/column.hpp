// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graph.hpp"
#include "work.hpp"

namespace task_bench {

/// The tasks of one point of a graph, step after step, and the inputs that have come for them, some
/// perhaps for later steps. Used by one thread at a time.
class Column {
 public:
  Column() = default;
  Column(const Graph& graph, std::int64_t point)
      : point_(point), step_(graph.next_step(0, point)) {}

  [[nodiscard]] std::int64_t point() const { return point_; }
  /// The step of the next task; equals the graph's steps() if there is none.
  [[nodiscard]] std::int64_t step() const { return step_; }
  /// Receives an input of a task that has not begun.
  void take(std::int64_t step, Output&& input);
  /// True if the next task has all its inputs.
  [[nodiscard]] bool is_ready(const Graph& graph) const;
  /// Begins the next task: returns its inputs. From now on the task after it is the next one.
  [[nodiscard]] std::vector<Output> begin_task(const Graph& graph);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(point_, step_, first_, come_);
  }

 private:
  [[nodiscard]] std::size_t slot(std::int64_t step) const {
    return (first_ + static_cast<std::size_t>(step - step_)) % come_.size();
  }

  std::int64_t point_ = 0;
  std::int64_t step_ = 0;
  std::uint64_t first_ = 0;  // index in come_ of the next task's inputs
  // A ring: inputs of the next task, the one after it, ...
  std::vector<std::vector<Output>> come_{2};
};

/// Pointers to them, for run_task().
[[nodiscard]] std::vector<const Output*> pointers_to(const std::vector<Output>& outputs);

}  // namespace task_bench
