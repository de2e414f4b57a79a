// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graph.hpp"
#include "work.hpp"

namespace task_bench {

/// The tasks of one point of a graph, step after step, and the inputs that have come for them; some
/// may come steps ahead. Used by one thread at a time.
class Column {
 public:
  Column() = default;
  Column(const Graph& graph, std::int64_t point)
      : point_(point), step_(graph.next_step(0, point)) {}

  [[nodiscard]] std::int64_t point() const { return point_; }
  /// Of the next task; the graph's steps(): there is none.
  [[nodiscard]] std::int64_t step() const { return step_; }
  /// An input of the task of this step, which is not over.
  void take(std::int64_t step, Output&& input);
  /// The next task has all its inputs.
  [[nodiscard]] bool is_ready(const Graph& graph) const;
  /// The next task begins: what has come for it. The one after that is the next from now on.
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
  std::uint64_t first_ = 0;                   // where in come_ the next task's are
  std::vector<std::vector<Output>> come_{2};  // a ring: of the next task, the one after it, ...
};

/// Pointers to them, for run_task().
[[nodiscard]] std::vector<const Output*> pointers_to(const std::vector<Output>& outputs);

}  // namespace task_bench
