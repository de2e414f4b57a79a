// SPDX-License-Identifier: Apache-2.0
#pragma once

// Declarations that the implementations on Roam share.
#include <roam/roam.hpp>
#include <span>
#include <vector>

#include "graph.hpp"
#include "settings.hpp"
#include "work.hpp"

namespace task_bench {

/// The graphs of a run, shared by the ranks of a process. Any thread.
class Bench {
 public:
  explicit Bench(const Settings& settings);
  [[nodiscard]] const std::vector<Graph>& graphs() const { return graphs_; }
  [[nodiscard]] const Graph& graph(std::int32_t number) const {
    return graphs_[static_cast<std::size_t>(number)];
  }
  /// Runs a task of a graph, like task_bench::run_task(), on a worker of a rank. On a simulated
  /// machine its kernel takes only virtual time, if the settings say how much.
  void run_task(const Graph& graph, std::int64_t step, std::int64_t point,
                std::span<const Output* const> inputs, Output& output) {
    check_inputs(graph, step, point, inputs);
    finish_task(graph, step, point, output);
  }
  /// Finishes a task whose inputs have been checked already.
  void finish_task(const Graph& graph, std::int64_t step, std::int64_t point, Output& output);

 private:
  std::vector<Graph> graphs_;
  const double iteration_seconds_;
  ScratchPool scratch_;
};

// Each implementation runs all graphs to their end, on all ranks, and returns the time.

/// As a flow program, with collections if every point of a step needs the same neighbours, up to
/// nine; otherwise with tasks on single data, which ranks exchange under keys: flow_program.cpp.
[[nodiscard]] roam::Task<roam::Duration> run_flow(roam::Runtime& rt, Bench& bench);
/// As mobile objects, one for each point, that call each other: object_program.cpp.
[[nodiscard]] roam::Task<roam::Duration> run_objects(roam::Runtime& rt, Bench& bench);
/// As active messages between ranks, each of which has a block of points: message_program.cpp.
[[nodiscard]] roam::Task<roam::Duration> run_messages(roam::Runtime& rt, Bench& bench);

}  // namespace task_bench
