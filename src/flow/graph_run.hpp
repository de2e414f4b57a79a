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

/// What is known of the graph with one name: the plan of what its body issued last.
struct Graph {
  std::unique_ptr<GraphPlan> plan;              // nullptr: graph() has not been called yet
  std::vector<std::unique_ptr<GraphPlan>> old;  // earlier plans, by which tasks may still run
  std::uint64_t replays = 0;
  std::uint64_t differences = 0;
  std::vector<TaskRecord*> withheld;  // memory for the next call
};

/// The graphs of a Flow, by name. Used by the main program alone.
class Graphs {
 public:
  [[nodiscard]] Graph& find(std::string_view name);
  /// A new number for one call of graph(), by which data know whether they have appeared in it.
  [[nodiscard]] std::uint64_t next_stamp() { return ++stamps_; }
  /// Frees all plans. Requires that no task is left.
  void forget() { graphs_.clear(); }

 private:
  std::map<std::string, Graph, std::less<>> graphs_;
  std::uint64_t stamps_ = 0;
};

/// One call of graph(). Tasks that are issued are withheld as long as they match the plan of the
/// last call. If all tasks of the plan have come when the body ends, they are launched as a Replay.
/// If one task differs, those that are withheld are tracked in their order, and so are those that
/// follow; their structure is noted and becomes the next plan. Used by the main program alone.
class GraphRun {
 public:
  GraphRun(Scope& scope, std::string_view name);
  GraphRun(const GraphRun&) = delete;
  GraphRun& operator=(const GraphRun&) = delete;
  /// Called when the body has ended: launches the tasks, or makes a new plan.
  ~GraphRun();

  /// Is told of each task that is issued. Returns false if the caller has to track the task; the
  /// caller then calls admitted(), unless tracking refuses the task.
  [[nodiscard]] bool withholds(TaskRecord& task, bool is_expected);
  void admitted();
  /// Takes over a datum to which nothing refers any more: tasks that are withheld may use it.
  void keep(Datum& datum) { kept_.push_back(&datum); }

 private:
  enum class State : std::uint8_t { compares, records, tracks };
  [[nodiscard]] bool matches(TaskRecord& task, bool is_expected);
  [[nodiscard]] bool appears(const Datum& datum, const GraphUse& use, std::uint32_t known) const;
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
  std::vector<TaskRecord*> withheld_;
  std::uint32_t data_ = 0;  // number of data that have appeared
  std::vector<Datum*> kept_;
  // Notes about the tasks that tracking has admitted, and about one more that it may refuse.
  std::vector<GraphTask> tasks_;
  std::vector<GraphUse> uses_;
  std::vector<GraphRange> ranges_;
  std::size_t admitted_tasks_ = 0;
  bool is_noted_ = false;  // a new plan is to be made of the notes
  bool is_cut_ = false;    // the notes end before the body did
};

}  // namespace roam::flow
