// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flow/graph_plan.hpp"
#include "roam/flow/core.hpp"

namespace roam::flow {

/// A name that graph() was called with, and what its body issued last.
struct Graph {
  std::unique_ptr<GraphPlan> plan;              // nullptr: nothing yet
  std::vector<std::unique_ptr<GraphPlan>> old;  // which tasks may still run by
  std::uint64_t replays = 0;
  std::uint64_t differences = 0;
};

/// The graphs of a Flow, by name. By the main program.
class Graphs {
 public:
  [[nodiscard]] Graph& find(std::string_view name);
  /// Of one run of a graph.
  [[nodiscard]] std::uint64_t next_stamp() { return ++stamps_; }
  /// When no task is left.
  void forget() { graphs_.clear(); }

 private:
  std::map<std::string, Graph, std::less<>> graphs_;
  std::uint64_t stamps_ = 0;
};

/// One call of graph(). Tasks that are issued are kept as long as they are those of the plan of the
/// last call. If at the end they are all there, they are launched as a Replay; if one differs,
/// those that are kept are tracked as if they had been from the beginning, and those that follow,
/// too; what they do is noted, from which the next plan is made. By the main program.
class GraphRun {
 public:
  GraphRun(Scope& scope, std::string_view name);
  GraphRun(const GraphRun&) = delete;
  GraphRun& operator=(const GraphRun&) = delete;
  /// The body is over.
  ~GraphRun();

  /// Of a task that is issued. False: it is to be tracked; then admitted() is called, if it is.
  [[nodiscard]] bool keeps(TaskRecord& task, bool is_expected);
  void admitted();

 private:
  enum class State : std::uint8_t { compares, records, tracks };
  [[nodiscard]] bool matches(TaskRecord& task, bool is_expected);
  [[nodiscard]] bool matches(const Datum& datum, const GraphUse& use, std::uint32_t known) const;
  [[nodiscard]] bool is_known(const Datum& datum, std::uint32_t known) const {
    return datum.graph_stamp() == stamp_ && datum.graph_place() < known;
  }
  void forget_since(std::span<const Access> accesses) const;
  void launch();
  void differs();
  void note(TaskRecord& task, bool is_expected);
  void make_plan();

  Scope& scope_;
  Graph& graph_;
  const std::uint64_t stamp_;
  State state_ = State::records;
  std::vector<TaskRecord*> kept_;
  std::vector<Datum*> data_;  // that have appeared: referred to, as tasks that are kept do not
  // What is noted of tasks that have been admitted, and of one that may not be.
  std::vector<GraphTask> tasks_;
  std::vector<GraphUse> uses_;
  std::size_t admitted_tasks_ = 0;
  bool is_noted_ = false;  // there is something for a new plan
  bool is_cut_ = false;
};

}  // namespace roam::flow
